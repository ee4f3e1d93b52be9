/** Processes items with limited concurrency. */
export async function concurrently<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  atOnce = 3,
): Promise<void> {
  // One iterator shared by all workers: each takes the next item.
  const left = items.values()
  const take = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, take))
}
