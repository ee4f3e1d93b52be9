import type { Pool } from 'pg'
import { languages, type OfferedLanguages } from '#contract/languages.ts'
import type { Config, Limits } from './config.ts'
import type { Log } from './log.ts'

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

/** The settings in force; each is as old as a second at most, in every process. */
export interface LiveSettings {
  readonly contactEmail: string | undefined
  readonly mailFrom: string
  /** Viewers are asked to come back later; operators work on. */
  readonly maintenance: boolean
  /** The hash of the icon that an operator has brought in. */
  readonly icon: string | undefined
  /** Those that viewers can choose from, the default first. */
  readonly languages: OfferedLanguages
  /** One object for good, whose limits change. */
  readonly limits: Limits
  /** Has this process know at once what was just changed. */
  refresh(): Promise<void>
  stop(): void
}

/** The row of the table `settings`. */
export const ownSettingsKey = 'site'
const everyMs = 1000

/** Reads the operator's settings, and again each second. While the database is away they stay as they were. */
export async function openLiveSettings(
  pool: Pool,
  { operator, mail, limits: usual }: Pick<Config, 'operator' | 'mail' | 'limits'>,
  log: Log,
): Promise<LiveSettings> {
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
  let asking = false
  const timer = setInterval(() => {
    if (asking) return
    asking = true
    refresh()
      .catch((error: unknown) => log.debug({ err: error }, 'The settings could not be read'))
      .finally(() => (asking = false))
  }, everyMs).unref()
  await refresh()
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
    stop: () => clearInterval(timer),
  }
}

async function readOwn(pool: Pool): Promise<string> {
  const { rows } = await pool.query<{ value: string }>(
    'SELECT value::text AS value FROM settings WHERE key = $1',
    [ownSettingsKey],
  )
  return rows[0]?.value ?? '{}'
}
