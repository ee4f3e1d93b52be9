import { bcp47Tags, type Language } from '#contract/languages.ts'
import { parseTimeZone } from '#server/platform/time-zone.ts'

/** The language and time zone of the person who reads a date. */
export interface DateReader {
  language: Language
  /** The time zone stored for the person; null if unknown. */
  timeZone: string | null
}

/**
 * Formats a moment as a day in the person's time zone and language. If the zone is unknown, uses UTC and says so:
 * "December 1, 2026 (UTC)".
 */
export function formatDay(date: Date, { language, timeZone }: DateReader): string {
  const known = parseTimeZone(timeZone ?? undefined)
  const options = { dateStyle: 'long', timeZone: known ?? 'UTC' } as const
  const day = new Intl.DateTimeFormat(bcp47Tags[language], options).format(date)
  return known === undefined ? `${day} (UTC)` : day
}
