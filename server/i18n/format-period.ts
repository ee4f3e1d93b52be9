import { bcp47Tags, type Language } from '#contract/languages.ts'
import { translate } from './translate.ts'

/** Formats a number of days: "1 day", "7 Tage". */
export function formatDays(days: number, language: Language): string {
  const options = { style: 'unit', unit: 'day', unitDisplay: 'long' } as const
  return new Intl.NumberFormat(bcp47Tags[language], options).format(days)
}

/** Formats an interval: "every day", "alle 7 Tage". */
export function formatInterval(days: number, language: Language): string {
  return translate(language, 'period.every', { count: days })
}

/** Joins a label and its value with a colon. In French, a space precedes the colon. */
export function formatLabelled(label: string, language: Language, value: string): string {
  const colon = language === 'fy' ? '\u00a0:' : ':'
  return value.startsWith('\n') ? `${label}${colon}${value}` : `${label}${colon} ${value}`
}

/**
 * Adds the texts of a mail's periods to its values: `period` and `every` for `days`, `renewPeriod` and `renewEvery` for
 * `renewDays`.
 */
export function addPeriodTexts(values: Record<string, string>, language: Language): Record<string, string> {
  const { days, renewDays } = values
  return {
    ...values,
    ...(days
      ? { period: formatDays(Number(days), language), every: formatInterval(Number(days), language) }
      : {}),
    ...(renewDays
      ? {
          renewPeriod: formatDays(Number(renewDays), language),
          renewEvery: formatInterval(Number(renewDays), language),
        }
      : {}),
  }
}
