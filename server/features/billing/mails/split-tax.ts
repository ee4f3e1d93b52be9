/**
 * What of a price is tax, which every price includes, to the cent: what is net and what is tax are the price again.
 * @param rate in hundredths of a percent
 */
export function splitTax(cents: number, rate: number): { netCents: number; taxCents: number } {
  const netCents = Math.round((cents * 10_000) / (10_000 + rate))
  return { netCents, taxCents: cents - netCents }
}
