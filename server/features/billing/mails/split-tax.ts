/**
 * Splits a price that includes tax into net amount and tax, in whole cents that add up to the price.
 * @param rate in hundredths of a percent
 */
export function splitTax(cents: number, rate: number): { netCents: number; taxCents: number } {
  const netCents = Math.round((cents * 10_000) / (10_000 + rate))
  return { netCents, taxCents: cents - netCents }
}
