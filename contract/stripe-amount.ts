/** Zero-decimal currencies: Stripe uses whole units, this site uses hundredths for every currency. */
export const zeroDecimalCurrencies: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** Three-decimal currencies. Stripe requires that the last digit is 0. */
export const threeDecimalCurrencies: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** Converts cents to Stripe's unit. An amount in a zero-decimal currency must be a multiple of 100. */
export function toStripeAmount(cents: number, currency: string): number {
  if (zeroDecimalCurrencies.has(currency)) return cents / 100
  return threeDecimalCurrencies.has(currency) ? cents * 10 : cents
}
