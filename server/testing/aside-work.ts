/** Work for a thread of its own, for the tests of `runAside`. */
export const double = (value: number) => value * 2

export function fail(message: string): never {
  throw new RangeError(message)
}

export function spin(): void {
  for (;;);
}
