/** Converts the parts of a timestamp to milliseconds; `fraction` has the decimal digits of the second. */
export function toMilliseconds(hours = '0', minutes = '0', seconds = '0', fraction = '0'): number {
  return (
    (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000 + Number(fraction.padEnd(3, '0'))
  )
}
