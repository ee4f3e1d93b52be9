import type { Pool } from 'pg'
import { languages, type OfferedLanguages } from '#contract/languages.ts'
import type { Config, Limits } from './config.ts'
import type { Database } from '#server/platform/database/database.ts'
import { listen } from '#server/platform/database/listen.ts'
import type { Log } from '#server/platform/log.ts'
import { oneAtATime } from '#server/platform/jobs/one-at-a-time.ts'

/** What the operator may change while the site runs. What is not set in the database is as the environment has it. */
export interface OwnSettings {
  contact_email?: string
  mail_from?: string
  maintenance?: boolean
  /** The hash of the icon that was brought in. */
  icon?: string
  languages?: OfferedLanguages
  limits?: Partial<Limits>
}

/** The settings in force; each process hears of a change at once. */
export interface RuntimeSettings {
  readonly contactEmail: string | undefined
  readonly mailFrom: string
  /** Viewers are asked to come back later; operators work on. */
  readonly maintenance: boolean
  /** The hash of the icon that an operator has brought in. */
  readonly icon: string | undefined
  /** Those that viewers can choose from, the default first. */
  readonly languages: OfferedLanguages
  /** One permanent object whose limits change. */
  readonly limits: Limits
  /** Applies a change in this process at once. */
  refresh(): Promise<void>
  stop(): Promise<void>
}

/** The row of the table `settings`. */
export const ownSettingsKey = 'site'
/** The table, and the channel on which it tells of changes. */
const channel = 'settings'
/** For what a listener misses. */
const everyMs = 60_000

/** Reads the operator's settings, and again when they change. While the database is away they stay as they were. */
export async function openRuntimeSettings(
  { pool, sessions }: Pick<Database<unknown>, 'pool' | 'sessions'>,
  { operator, mail, limits: usual }: Pick<Config, 'operator' | 'mail' | 'limits'>,
  log: Log,
): Promise<RuntimeSettings> {
  const limits = { ...usual }
  let [own, known]: [OwnSettings, string] = [{}, '']
  const refresh = async () => {
    const text = await readOwn(pool)
    if (text === known) return
    known = text
    // Written by the studio's command, which has checked it.
    own = JSON.parse(text) as OwnSettings
    Object.assign(limits, usual, own.limits)
  }
  const look = oneAtATime(() =>
    refresh().catch((error: unknown) => log.debug({ err: error }, 'The settings could not be read')),
  )
  await refresh()
  const timer = setInterval(look, everyMs).unref()
  const listening = listen(sessions, [channel], look, log)
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

async function readOwn(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ value: string }>(
    'SELECT value::text AS value FROM settings WHERE key = $1',
    [ownSettingsKey],
  )
  return rows[0]?.value ?? '{}'
}
