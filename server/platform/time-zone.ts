/** Names such as `Europe/Berlin` or `UTC`. Offsets such as `+02:00` are none: they know no summer time. */
const namePattern = /^[A-Za-z][\w+-]*(\/[\w+-]+){0,2}$/
const longestName = 64

/** A time zone by its IANA name, or undefined if this process knows none by that name. */
export function readTimeZone(name: string | undefined): string | undefined {
  if (name === undefined || name.length > longestName || !namePattern.test(name)) return undefined
  return isKnown(name) ? name : undefined
}

function isKnown(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }))
  } catch {
    return false
  }
}
