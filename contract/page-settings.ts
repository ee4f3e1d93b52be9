import type { OfferedLanguages } from './languages.ts'

/** The site's settings in a document: the browser needs them before its first call is answered. */
export interface PageSettings {
  /** What the site is called. */
  site: string
  /** The address of its logo. */
  logo: string
  /** The offered languages, the default first; all if omitted. */
  languages?: OfferedLanguages
  /** `strict`: click ids are held in memory only, until the person has agreed (security.md, "Consent"). */
  consent: 'usual' | 'strict'
  /** The social providers that can be signed in with; none if it is left out. */
  social?: { id: string; name: string }[]
  /** The site has prepaid balances. */
  balance?: true
  /** Where errors are reported to; without it none are. */
  sentry?: {
    dsn: string
    /** A host that contains it is a sandbox (seed, section 9). */
    sandbox_host_suffix?: string
  }
}
