/** Zero-decimal currencies: Stripe uses whole units, this site uses hundredths for every currency. */
export const wholeCurrencies: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** Three-decimal currencies, whose last digit must be 0 at Stripe. */
export const thousandths: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** Converts cents to Stripe's unit. An amount in a zero-decimal currency must be a multiple of 100. */
export function stripeUnits(cents: number, currency: string): number {
  if (wholeCurrencies.has(currency)) return cents / 100
  return thousandths.has(currency) ? cents * 10 : cents
}
