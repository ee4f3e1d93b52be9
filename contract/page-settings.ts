import type { OfferedLanguages } from './languages.ts'

/** The site's settings in every HTML document, because the browser needs them before the first API response. */
export interface PageSettings {
  /** The name of the site. */
  site: string
  /** The URL of the site's logo. */
  logo: string
  /** The offered languages, the default first; omitted if all languages are offered. */
  languages?: OfferedLanguages
  /** `strict`: click ids stay in memory until the user consents (docs/tracking.md). */
  consent: 'standard' | 'strict'
  /** The social sign-in providers; none if omitted. */
  social?: { id: string; name: string }[]
  /** Set if prepaid balances are enabled. */
  balance?: true
  /** The destination of error reports; without it, errors are not reported. */
  sentry?: {
    dsn: string
    /** If the site's host contains this text, errors are reported for the environment `sandbox`, not `production`. */
    sandbox_host_suffix?: string
  }
}
