/**
 * Names such as `Europe/Berlin` or `UTC`. Offsets such as `+02:00` are not accepted: they have no daylight saving time.
 */
const namePattern = /^[A-Za-z][\w+-]*(\/[\w+-]+){0,2}$/
const longestName = 64

/** Returns a time zone by its IANA name, or undefined if this process does not know it. */
export function parseTimeZone(name: string | undefined): string | undefined {
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
