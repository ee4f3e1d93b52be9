/** Does the work of each item, a few at a time. */
export async function concurrently<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 3,
): Promise<void> {
  // One iterator shared by all: each takes the next item that nobody has.
  const left = items.values()
  const take = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, take))
}
