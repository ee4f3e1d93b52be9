import { bcp47Tags, type Language } from '#contract/languages.ts'
import { translate } from './translate.ts'

/** A number of days as a language writes it: "1 day", "7 Tage". */
export function formatDays(days: number, language: Language): string {
  const options = { style: 'unit', unit: 'day', unitDisplay: 'long' } as const
  return new Intl.NumberFormat(bcp47Tags[language], options).format(days)
}

/** How often something comes back: "every day", "alle 7 Tage". */
export function formatInterval(days: number, language: Language): string {
  return translate(language, 'period.every', { count: days })
}

/** A label before its value, with the space that French writes before a colon. */
export function formatLabelled(label: string, language: Language, value: string): string {
  const colon = language === 'fy' ? '\u00a0:' : ':'
  return value.startsWith('\n') ? `${label}${colon}${value}` : `${label}${colon} ${value}`
}

/** The values of a mail, with its numbers of days in words beside them. */
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
