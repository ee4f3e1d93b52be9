/**
 * Processes all items with limited concurrency. After the first failure, starts no further items, and rejects once the
 * running ones have ended.
 */
export async function forEachConcurrently<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // One iterator shared by all workers: each takes the next item.
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  let failed: { error: unknown } | undefined
  const worker = async () => {
    try {
      while (!failed) {
        const next = await queue.next()
        if (next.done) return
        await work(next.value)
      }
    } catch (error) {
      failed ??= { error }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, worker))
  if (failed) throw failed.error
}
