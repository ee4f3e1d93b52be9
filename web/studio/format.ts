import { bcp47Tags, type Language, type LocalizedText } from '#contract/languages.ts'
import { currentLanguage } from '#web/lib/language.ts'

/** Returns the name in this language, else in English, else an empty string. */
export const localizedName = (names: Partial<LocalizedText>, language: Language): string =>
  names[language] ?? names.en ?? ''

/** Formats a time with minutes: "21 Nov 2026, 14:05"; "–" if it is null. */
export function formatTime(time: string | null, language: Language): string {
  if (time === null) return '–'
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const
  return unbroken(new Intl.DateTimeFormat(bcp47Tags[language], options).format(new Date(time)))
}

/** Formats a date: "21 Nov 2026". */
export const formatDate = (time: string, language: Language): string =>
  unbroken(new Intl.DateTimeFormat(bcp47Tags[language], { dateStyle: 'medium' }).format(new Date(time)))

/** Prevents a line break within a date in a narrow column. */
const unbroken = (date: string) => date.replaceAll(' ', '\u00a0')

/** Parses a typed amount such as "4.99" or "4,99" into cents; undefined if it is invalid. */
export function parseCents(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.')
  return /^\d{1,7}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : undefined
}

/** Formats cents as the value of an input, in the interface language: "4.99" or "4,99". */
export function formatCents(cents: number): string {
  const options = { minimumFractionDigits: 2, useGrouping: false } as const
  return new Intl.NumberFormat(bcp47Tags[currentLanguage()], options).format(cents / 100)
}

/** Formats a number with thousands separators: "12,400". */
export const formatCount = (count: number): string =>
  new Intl.NumberFormat(bcp47Tags[currentLanguage()]).format(count)

/** Formats a ratio as a percentage: "83%"; "–" if `whole` is zero. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–'
  return new Intl.NumberFormat(bcp47Tags[currentLanguage()], { style: 'percent' }).format(part / whole)
}

/** Formats a UTC day such as "2026-11-21": "21 Nov". */
export function formatDay(day: string, language: Language): string {
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(bcp47Tags[language], options).format(new Date(day))
}
