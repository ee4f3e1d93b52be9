const units = ['', 'K', 'M', 'B']

/** A play count as the cards show it: 1234567 is "1.2M". Not by Intl: its compact form takes a slow phone a tenth of a second. */
export function shortCount(count: number): string {
  let [rest, unit] = [count, 0]
  // What would be rounded to "1000K" is "1M".
  while (rest >= 999.95 && unit + 1 < units.length) [rest, unit] = [rest / 1000, unit + 1]
  return `${Math.round(rest * 10) / 10}${units[unit]}`
}

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

let longDates: Intl.DateTimeFormat | undefined

/** A day in the en-US long form, whatever the language (seed, section 9): "November 21, 2026", or "Invalid Date". */
export function longDate(time: string | null | undefined): string {
  const date = new Date(time ?? '')
  if (Number.isNaN(date.getTime())) return 'Invalid Date'
  // Made when it is first used: the browser takes long to.
  longDates ??= new Intl.DateTimeFormat('en-US', { dateStyle: 'long' })
  return longDates.format(date)
}
