/** Currencies without a smaller unit: Stripe counts them whole, we count hundredths of everything. */
export const wholeCurrencies: ReadonlySet<string> = new Set(
  'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '),
)
/** Counted in thousandths, of which the last is 0. */
export const thousandths: ReadonlySet<string> = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND'])

/** An amount as Stripe counts it; of a currency without a smaller unit it has no fraction. */
export function stripeUnits(cents: number, currency: string): number {
  if (wholeCurrencies.has(currency)) return cents / 100
  return thousandths.has(currency) ? cents * 10 : cents
}
