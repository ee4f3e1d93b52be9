import type { OfferedLanguages } from './languages.ts'

/** What a document tells the browser of the site's settings: they are needed before any call could answer. */
export interface PageSettings {
  /** What the site is called. */
  site: string
  /** The address of its logo. */
  logo: string
  /** The languages that are offered, the default first; all where they are left out. */
  languages?: OfferedLanguages
  /** `strict`: click ids are held in memory only, until the person has agreed (security.md, "Consent"). */
  consent: 'usual' | 'strict'
  /** The social providers that can be signed in with; none where it is left out. */
  social?: { id: string; name: string }[]
  /** Where errors are reported to; without it none are. */
  sentry?: {
    dsn: string
    /** A host that contains it is a sandbox (seed, section 9). */
    sandbox_host_suffix?: string
  }
}
