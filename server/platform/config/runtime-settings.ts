import type { Pool } from 'pg'
import { languages, type OfferedLanguages } from '#contract/languages.ts'
import type { Config, RateLimits } from './config.ts'
import type { Database } from '#server/platform/database/database.ts'
import { listen } from '#server/platform/database/listen.ts'
import type { Log } from '#server/platform/log.ts'
import { coalesceRuns } from '#server/platform/coalesce-runs.ts'

/**
 * Settings that the operator may change while the site runs. They override environment variables. A setting that the
 * operator has not changed has the value of the environment variable, or the default.
 */
export interface RuntimeOverrides {
  contact_email?: string
  mail_from?: string
  maintenance?: boolean
  /** The hash of the uploaded icon. */
  icon?: string
  languages?: OfferedLanguages
  limits?: Partial<RateLimits>
}

/** The settings in effect. Every process adopts a change as soon as the database announces it. */
export interface RuntimeSettings {
  readonly contactEmail: string | undefined
  readonly mailFrom: string
  /** Whether viewers see the maintenance page; operators keep access. */
  readonly maintenance: boolean
  /** The hash of the icon that an operator uploaded. */
  readonly icon: string | undefined
  /** Languages that viewers can choose, the default first. */
  readonly languages: OfferedLanguages
  /** A permanent object whose limits are updated in place. */
  readonly limits: RateLimits
  /** Rereads the settings, so that this process need not wait for the announcement of a change. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

/** The key of the row in the table `settings`. */
export const runtimeSettingsKey = 'site'
/** The channel that announces changes; it has the name of the table. */
const channel = 'settings'
/** Polling interval, for notifications that the listener misses. */
const everyMs = 60_000

/**
 * Reads the operator's settings, and rereads them when they change. Keeps the last values while the database is
 * unavailable.
 */
export async function openRuntimeSettings(
  { pool, sessions }: Pick<Database<unknown>, 'pool' | 'sessions'>,
  { operator, mail, limits: environmentLimits }: Pick<Config, 'operator' | 'mail' | 'limits'>,
  log: Log,
): Promise<RuntimeSettings> {
  const limits = { ...environmentLimits }
  let [own, known]: [RuntimeOverrides, string] = [{}, '']
  let [started, adopted] = [0, 0]
  const refresh = async () => {
    const reading = ++started
    const text = await readOverrides(pool)
    // A later reading has already been adopted. This one may be older.
    if (reading < adopted) return
    adopted = reading
    if (text === known) return
    known = text
    // The cast is safe: the studio's command validated the text before storing it.
    own = JSON.parse(text) as RuntimeOverrides
    Object.assign(limits, environmentLimits, own.limits)
  }
  const reload = coalesceRuns(() =>
    refresh().catch((error: unknown) => log.debug({ err: error }, 'The settings could not be read')),
  )
  await refresh()
  const timer = setInterval(reload, everyMs).unref()
  const listening = listen(sessions, [channel], reload, log)
  return {
    get contactEmail() {
      return own.contact_email ?? operator.email
    },
    get mailFrom() {
      return own.mail_from ?? mail.from
    },
    get maintenance() {
      return own.maintenance ?? false
    },
    get languages() {
      return own.languages ?? languages
    },
    get icon() {
      return own.icon
    },
    limits,
    refresh,
    stop() {
      clearInterval(timer)
      return listening.stop()
    },
  }
}

async function readOverrides(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ value: string }>(
    'SELECT value::text AS value FROM settings WHERE key = $1',
    [runtimeSettingsKey],
  )
  return rows[0]?.value ?? '{}'
}
