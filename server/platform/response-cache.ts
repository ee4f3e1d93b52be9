import type { Clock } from './clock.ts'
import type { ChangeFeed } from './database/catalogue-changes.ts'
import { isDatabaseUnavailable, isDatabaseUnreachable } from './database/database-unavailable.ts'
import type { Serialised } from './http/route.ts'

const lifetimeMs = 1000
const maxEntries = 5000

/** Maximum age of previous answers that are returned while the database is unavailable. */
export const staleMs = 10 * 60_000
const maxStaleResponses = 500

/** Maximum age of an answer that is kept until a change. */
const keptMs = 10 * 60_000

interface Options<Answer> {
  /**
   * Keeps answers until the feed reports a change, instead of for a second. `mayKeep` returns false for an answer that
   * may change without a report.
   */
  keep?: { changes: ChangeFeed; mayKeep(answer: Answer): boolean }
  /**
   * Returns previous answers while the database is unavailable. Use this for data that is the same for all callers, but
   * not for answers composed of other such answers, because their ages would add up.
   */
  stale?: boolean
}

/**
 * Caches answers that are the same for all callers, for at most a second unless `keep` is set. This is long enough to
 * absorb a burst of requests, and short enough that the answers of different processes hardly differ. All answers expire
 * at full seconds of the clock, so that an answer composed of others is not older than them. Concurrent callers share
 * one load; failures are not cached.
 */
export function createResponseCache<Answer = Serialised>(
  clock: Clock,
  { stale = false, keep }: Options<Answer> = {},
) {
  const loadOrStale = stale ? createStaleFallback<Answer>() : undefined
  const answers = new Map<string, Entry<Answer>>()
  const make = (key: string, load: () => Promise<Answer>, now: number) => {
    dropExpired(answers, now)
    if (answers.size >= maxEntries) answers.clear()
    const version = keep?.changes.version()
    const loadAndKeep = () => {
      const loading = load()
      // Only what was loaded now: instead of a failed load, an older answer may be returned.
      const keepLoaded = (answer: Answer) => {
        if (keep?.mayKeep(answer)) Object.assign(entry, { answer: loading, until: now + keptMs, version })
      }
      if (version !== undefined) void loading.then(keepLoaded, () => {})
      return loading
    }
    const answer = loadOrStale ? loadOrStale(key, loadAndKeep, now) : loadAndKeep()
    const entry: Entry<Answer> = { until: now - (now % lifetimeMs) + lifetimeMs, answer }
    answers.delete(key)
    answers.set(key, entry)
    entry.answer.catch(() => answers.get(key) === entry && answers.delete(key))
    return entry.answer
  }
  return {
    /** Number of cached answers. */
    get size() {
      return answers.size
    },
    get(key: string, load: () => Promise<Answer>): Promise<Answer> {
      const now = clock.now().getTime()
      const entry = answers.get(key)
      const isCurrent = entry?.version === undefined || entry.version === keep?.changes.version()
      return entry && entry.until > now && isCurrent ? entry.answer : make(key, load, now)
    },
  }
}

interface Entry<Answer> {
  until: number
  answer: Promise<Answer>
  /** The version of the data, if the answer is kept until a change. */
  version?: number
}

/**
 * Remembers the latest answers, and returns one in place of an answer that fails because the database is unavailable.
 * After the first such failure, callers with a remembered answer no longer wait; their loads continue in the background
 * until the database responds.
 */
function createStaleFallback<Answer>() {
  const staleResponses = new Map<string, { at: number; answer: Answer }>()
  let isDatabaseDown = false
  const note = (key: string, answer: Answer, at: number) => {
    isDatabaseDown = false
    staleResponses.delete(key)
    staleResponses.set(key, { at, answer })
    const [oldest] = staleResponses.keys()
    if (staleResponses.size > maxStaleResponses && oldest !== undefined) staleResponses.delete(oldest)
    return answer
  }
  return async (key: string, load: () => Promise<Answer>, now: number): Promise<Answer> => {
    const remembered = staleResponses.get(key)
    const former = remembered && now - remembered.at <= staleMs ? remembered : undefined
    const loaded = load().then(
      (answer) => note(key, answer, now),
      (error: unknown) => {
        isDatabaseDown ||= isDatabaseUnreachable(error)
        if (isDatabaseUnavailable(error)) {
          if (former) return former.answer
        } else staleResponses.delete(key)
        throw error
      },
    )
    if (!isDatabaseDown || !former) return loaded
    loaded.catch(() => {})
    return former.answer
  }
}

/**
 * Drops expired entries. They are in the order of expiry, so only expired ones are visited. Kept ones may delay the
 * others.
 */
function dropExpired(answers: Map<string, { until: number }>, now: number): void {
  for (const [key, { until }] of answers) {
    if (until > now) return
    answers.delete(key)
  }
}

/**
 * Finds rows by their ids, each cached like an answer; missing ones are loaded together. Ids without a row are absent
 * from the result.
 */
export function createRowCache<Row extends { id: string }>(
  clock: Clock,
  load: (ids: readonly string[]) => Promise<Row[]>,
): (ids: readonly string[]) => Promise<Map<string, Row>> {
  const rowCache = createResponseCache<Row | undefined>(clock)
  return async (ids) => {
    const missing: string[] = []
    // Runs after all lookups below, which collect the missing ids.
    const loaded = Promise.resolve().then(async () => {
      const rows = missing.length > 0 ? await load(missing) : []
      return new Map(rows.map((row) => [row.id, row]))
    })
    const rows = await Promise.all(
      ids.map((id) =>
        rowCache.get(id, () => {
          missing.push(id)
          return loaded.then((found) => found.get(id))
        }),
      ),
    )
    return new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])))
  }
}
