import { htmlLanguage, type Language } from './languages.ts'

/**
 * Integer cents as a language writes money, with the decimals of the currency: 499 USD is "$4.99" in English and "4,99 $" in
 * German, 9900 JPY is "¥99". Cents of a currency without decimals are shown where there are any.
 */
export function moneyWords(cents: number, currency: string, language: Language): string {
  // Portuguese without a country is Brazil's, and our texts are Portugal's.
  const locale = language === 'pt' ? 'pt-PT' : htmlLanguage[language]
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency })
  const { maximumFractionDigits: digits = 2 } = format.resolvedOptions()
  if (digits > 0 || cents % 100 === 0) return format.format(cents / 100)
  return new Intl.NumberFormat(locale, { style: 'currency', currency, minimumFractionDigits: 2 }).format(
    cents / 100,
  )
}
