/** A range of creation times in Unix seconds, inclusive. */
interface CreatedRange {
  gte: number
  lte?: number
}

/** Maximum number of objects in memory, unless more were created within a second. */
const defaultMaxHeld = 500

/**
 * Lists the objects that were created since a time (in Unix seconds), oldest first. Stripe lists the latest first, so
 * this function requests one time range after another. Each range is so short that its objects fit into the memory.
 */
export async function* listOldestFirst<T extends { created: number }>(
  listLatestFirst: (created: CreatedRange) => AsyncIterable<T>,
  since: number,
  maxHeld = defaultMaxHeld,
): AsyncGenerator<T[]> {
  let from = since
  // The first range has no end. If it has too many objects, `end` becomes the time of the latest object.
  let [seconds, end] = [Infinity, Infinity]
  for (;;) {
    const isLast = seconds === Infinity || from + seconds > end
    const range = { gte: from, ...(isLast ? {} : { lte: from + seconds - 1 }) }
    const { found, isComplete } = await readUpTo(listLatestFirst(range), seconds > 1 ? maxHeld : Infinity)
    const [latest, earliest] = [found[0], found.at(-1)]
    if (!isComplete && latest && earliest) {
      if (isLast) end = latest.created
      const half = Math.floor(Math.min(seconds, end - from + 1) / 2)
      // At the rate of the objects just read, this many seconds contain `maxHeld` objects.
      seconds = Math.max(1, Math.min(latest.created - earliest.created, half))
      continue
    }
    yield found.toReversed()
    if (isLast) return
    from += seconds
    if (found.length < maxHeld / 2) seconds *= 2
  }
}

async function readUpTo<T>(
  list: AsyncIterable<T>,
  max: number,
): Promise<{ found: T[]; isComplete: boolean }> {
  const found: T[] = []
  for await (const each of list) {
    if (found.length === max) return { found, isComplete: false }
    found.push(each)
  }
  return { found, isComplete: true }
}
