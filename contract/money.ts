import { htmlLanguage, type Language } from './languages.ts'

/** Integer cents with two decimals, as a language writes money: 499 USD is "$4.99" in English and "4,99 $" in German. */
export function moneyWords(cents: number, currency: string, language: Language): string {
  // Portuguese without a country is Brazil's, and our texts are Portugal's.
  const locale = language === 'pt' ? 'pt-PT' : htmlLanguage[language]
  const options = { style: 'currency', currency, minimumFractionDigits: 2 } as const
  return new Intl.NumberFormat(locale, options).format(cents / 100)
}
