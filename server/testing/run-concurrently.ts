/** Processes items with limited concurrency. */
export async function runConcurrently<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  concurrency = 3,
): Promise<void> {
  // All workers share one iterator, so each takes the next item.
  const left = items.values()
  const take = async () => {
    for (const item of left) await work(item)
  }
  await Promise.all(Array.from({ length: concurrency }, take))
}
