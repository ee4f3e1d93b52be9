import { htmlLanguage, type Language } from '#contract/languages.ts'

/** A moment as people at a desk read it, to the minute: "21 Nov 2026, 14:05"; a dash where there is none. */
export function timeWords(time: string | null, language: Language): string {
  if (time === null) return '–'
  const options = { dateStyle: 'medium', timeStyle: 'short' } as const
  return new Intl.DateTimeFormat(htmlLanguage[language], options).format(new Date(time))
}

/** Money as somebody types it, "4.99" or "4,99", in cents; undefined where it is none. */
export function centsOf(typed: string): number | undefined {
  const text = typed.trim().replace(',', '.')
  return /^\d{1,7}(\.\d{1,2})?$/.test(text) ? Math.round(Number(text) * 100) : undefined
}

/** Cents as they are typed: "4.99". */
export const decimalOf = (cents: number): string => (cents / 100).toFixed(2)

/** A day in UTC, given as "2026-11-21", in few words: "21 Nov". */
export function dayWords(day: string, language: Language): string {
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  return new Intl.DateTimeFormat(htmlLanguage[language], options).format(new Date(day))
}
