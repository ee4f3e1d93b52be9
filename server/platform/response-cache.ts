import type { Clock } from './clock.ts'
import type { Serialised } from './http/route.ts'

const lifetimeMs = 1000
const most = 5000

/**
 * Keeps answers that are the same for everybody, for at most a second: long enough to carry a crowd, short enough that
 * no second process shows anything older. All end with the clock's second, so that one that is made of others is no
 * older than they are. Callers that ask while an answer is being made share it; a failure is not kept.
 */
export function createAnswerCache<Answer = Serialised>(clock: Clock) {
  const answers = new Map<string, { until: number; answer: Promise<Answer> }>()
  const make = (key: string, load: () => Promise<Answer>, now: number) => {
    forgetOld(answers, now)
    if (answers.size >= most) answers.clear()
    const entry = { until: now - (now % lifetimeMs) + lifetimeMs, answer: load() }
    answers.set(key, entry)
    entry.answer.catch(() => answers.get(key) === entry && answers.delete(key))
    return entry.answer
  }
  return {
    /** How many are held. */
    get size() {
      return answers.size
    },
    get(key: string, load: () => Promise<Answer>): Promise<Answer> {
      const now = clock.now().getTime()
      const entry = answers.get(key)
      return entry && entry.until > now ? entry.answer : make(key, load, now)
    },
  }
}

/** Entries are in the order in which they expire, so only expired ones are looked at. */
function forgetOld(answers: Map<string, { until: number }>, now: number): void {
  for (const [key, { until }] of answers) {
    if (until > now) return
    answers.delete(key)
  }
}

/**
 * Finds rows by their ids, each kept like an answer; those that are missing are loaded together. Ids without a row are
 * missing from what is found.
 */
export function createRowCache<Row extends { id: string }>(
  clock: Clock,
  load: (ids: readonly string[]) => Promise<Row[]>,
): (ids: readonly string[]) => Promise<Map<string, Row>> {
  const kept = createAnswerCache<Row | undefined>(clock)
  return async (ids) => {
    const missing: string[] = []
    // Asked for once the ids below have all been looked at.
    const loaded = Promise.resolve().then(async () => {
      const rows = missing.length > 0 ? await load(missing) : []
      return new Map(rows.map((row) => [row.id, row]))
    })
    const rows = await Promise.all(
      ids.map((id) =>
        kept.get(id, () => {
          missing.push(id)
          return loaded.then((found) => found.get(id))
        }),
      ),
    )
    return new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])))
  }
}
