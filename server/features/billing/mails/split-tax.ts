/**
 * Splits a price, which includes tax, into net and tax, to the cent: their sum is the price.
 * @param rate in hundredths of a percent
 */
export function splitTax(cents: number, rate: number): { netCents: number; taxCents: number } {
  const netCents = Math.round((cents * 10_000) / (10_000 + rate))
  return { netCents, taxCents: cents - netCents }
}
