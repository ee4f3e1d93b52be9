/** Work for a thread of its own, for the tests of `runAside`. */
export const double = (value: number) => value * 2

export function fail(message: string): never {
  throw new RangeError(message)
}

/** Holds its thread for as long, and then gives a result. */
export function spin(ms: number): string {
  const end = Date.now() + ms
  while (Date.now() < end);
  return 'done'
}
