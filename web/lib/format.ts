import { bcp47Tags, type Language } from '#contract/languages.ts'
import { currentLanguage } from './language.ts'

/** The suffixes for ones, thousands, millions and billions. */
const units: Record<Language, readonly string[]> = {
  en: ['', 'K', 'M', 'B'],
  es: ['', '\u00a0mil', '\u00a0M', '\u00a0mil\u00a0M'],
  fy: ['', '\u00a0k', '\u00a0M', '\u00a0Md'],
  dy: ['', '\u00a0Tsd.', '\u00a0Mio.', '\u00a0Mrd.'],
  pt: ['', '\u00a0mil', '\u00a0M', '\u00a0mM'],
}

/**
 * Formats a count as on the cards: 1234567 is "1.2M" in English. Does not use Intl's compact notation, which takes 0.1
 * s on a slow phone.
 */
export function formatShortCount(count: number): string {
  let [scaled, unit] = [count, 0]
  // Values from 999.95 on would round to "1000K", so they become "1M".
  while (scaled >= 999.95 && unit < 3) [scaled, unit] = [scaled / 1000, unit + 1]
  return `${formatDecimal(Math.round(scaled * 10) / 10)}${units[currentLanguage()][unit]}`
}

/** Formats a small number in the interface language: 1.5 is "1,5" except in English. */
export function formatDecimal(value: number): string {
  return currentLanguage() === 'en' ? String(value) : String(value).replace('.', ',')
}

/** Formats milliseconds as a clock: 83000 is "1:23". */
export function formatClock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}

let longDates: Intl.DateTimeFormat | undefined

/**
 * Formats a date in the long form of en-US, in every language (seed, section 9): "November 21, 2026", or "Invalid
 * Date".
 */
export function formatLongDate(time: string | null | undefined): string {
  const date = new Date(time ?? '')
  if (Number.isNaN(date.getTime())) return 'Invalid Date'
  // Created on the first use, because creating a date format is slow.
  longDates ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'long' })
  return longDates.format(date)
}

/** Joins names as in a sentence: "Meta, Google Analytics, and TikTok", with the interface language's word for "and". */
export function formatList(names: readonly string[]): string {
  return new Intl.ListFormat(bcp47Tags[currentLanguage()]).format(names)
}

/** Formats a percentage (0 to 100) in the interface language: 8.1 is "8,1 %" in German. */
export function formatPercent(value: number): string {
  const options = { style: 'percent', maximumFractionDigits: 2 } as const
  return new Intl.NumberFormat(bcp47Tags[currentLanguage()], options).format(value / 100)
}
