const plays = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 })

/** A play count as the cards show it: 1234567 is "1.2M". */
export const shortCount = (count: number): string => plays.format(count)

/** Integer cents as money with two decimals: 499 USD is "$4.99". */
export const money = (cents: number, currency: string): string =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency, minimumFractionDigits: 2 }).format(
    cents / 100,
  )

/** Milliseconds as a clock: 83000 is "1:23". */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
}
