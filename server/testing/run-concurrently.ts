/** Processes items with limited concurrency. */
export async function runConcurrently<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
  concurrency = 3,
): Promise<void> {
  // All workers share one iterator, so each takes the next item.
  const pending = items.values()
  const take = async () => {
    for (const item of pending) await work(item)
  }
  await Promise.all(Array.from({ length: concurrency }, take))
}
