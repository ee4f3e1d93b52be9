import { bcp47Tags, type Language } from './languages.ts'

const currencyFormat = (currency: string, language: Language, options: Intl.NumberFormatOptions = {}) =>
  new Intl.NumberFormat(bcp47Tags[language], { style: 'currency', currency, ...options })

/**
 * Formats integer cents for a language, with the decimals of the currency. 499 USD is "$4.99" in English and "4,99 $"
 * in German; 9900 JPY is "¥99". For a currency without decimals, cents are shown only if they are not zero.
 */
export function formatMoney(cents: number, currency: string, language: Language): string {
  const format = currencyFormat(currency, language)
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
  if (digits > 0 || cents % 100 === 0) return format.format(cents / 100)
  return currencyFormat(currency, language, { minimumFractionDigits: 2 }).format(cents / 100)
}

/** Formats fractional cents, rounded to the currency's decimals: 4344.6 USD is "$43.45", 9950 JPY is "¥100". */
export function formatRoundedMoney(cents: number, currency: string, language: Language): string {
  return currencyFormat(currency, language).format(cents / 100)
}
