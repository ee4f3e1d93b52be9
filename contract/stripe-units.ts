/** Currencies without a smaller unit. Stripe counts their whole units, while we count hundredths of every currency. */
export const wholeCurrencies: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** Currencies that Stripe counts in thousandths, of which the last digit must be 0. */
export const thousandths: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** Converts cents to Stripe's unit of a currency. Currencies without a smaller unit must have no fraction. */
export function stripeUnits(cents: number, currency: string): number {
  if (wholeCurrencies.has(currency)) return cents / 100
  return thousandths.has(currency) ? cents * 10 : cents
}
