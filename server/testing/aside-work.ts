/** Work for `runInThread` in a thread, for its tests. */
export const double = (value: number) => value * 2

export function fail(message: string): never {
  throw new RangeError(message)
}

/** Blocks its thread for so long, and then returns a result. */
export function spin(ms: number): string {
  const end = Date.now() + ms
  while (Date.now() < end);
  return 'done'
}
