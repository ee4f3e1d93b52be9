import { htmlLanguage, type Language } from './languages.ts'

const formatOf = (currency: string, language: Language, options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat(htmlLanguage[language], { style: 'currency', currency, ...options })

/**
 * Formats integer cents in a language, with the decimals of the currency: 499 USD is "$4.99" in English and "4,99 $" in German,
 * 9900 JPY is "¥99". Hundredths of a currency without decimals are shown if there are any.
 */
export function moneyWords(cents: number, currency: string, language: Language): string {
  const format = formatOf(currency, language)
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
  if (digits > 0 || cents % 100 === 0) return format.format(cents / 100)
  return formatOf(currency, language, { minimumFractionDigits: 2 }).format(cents / 100)
}

/** Formats cents, rounded to the decimals of the currency: 4344.6 USD is "$43.45", 9950 JPY is "¥100". */
export function moneyRounded(cents: number, currency: string, language: Language): string {
  return formatOf(currency, language).format(cents / 100)
}
