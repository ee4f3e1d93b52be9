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

const longDates = new Intl.DateTimeFormat('en-US', { dateStyle: 'long' })

/** A day in the en-US long form, whatever the language (seed, section 9): "November 21, 2026", or "Invalid Date". */
export function longDate(time: string | null | undefined): string {
  const date = new Date(time ?? '')
  return Number.isNaN(date.getTime()) ? 'Invalid Date' : longDates.format(date)
}
