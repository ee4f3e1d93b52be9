/** Functions that the tests of `runInThread` run in a thread. */
export const double = (value: number) => value * 2

export function fail(message: string): never {
  throw new RangeError(message)
}

/** Blocks its thread for `ms` milliseconds, then returns a result. */
export function spin(ms: number): string {
  const end = Date.now() + ms
  while (Date.now() < end);
  return 'done'
}
