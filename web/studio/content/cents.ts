/** The cents of an amount as people type it: "0.99", "9,99", "10"; undefined for anything else, and for nothing. */
export function centsOf(text: string): number | undefined {
  const [, whole, part = ''] = /^\s*(\d{1,6})(?:[.,](\d{1,2}))?\s*$/.exec(text) ?? []
  if (whole === undefined) return undefined
  return 100 * Number(whole) + Number(part.padEnd(2, '0')) || undefined
}
