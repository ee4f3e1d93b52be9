import type { Clock } from './clock.ts'
import type { ChangeFeed } from './database/catalogue-changes.ts'
import { isDatabaseUnavailable, isDatabaseUnreachable } from './database/database-unavailable.ts'
import type { Serialised } from './http/route.ts'

const lifetimeMs = 1000
const maxEntries = 5000

/** Maximum age of previous answers that are returned while the database is unavailable. */
export const staleMs = 10 * 60_000
const maxStaleAnswers = 500

/** Maximum age of an answer that is kept until a change. */
const keptMs = 10 * 60_000

interface Options<Answer> {
  /**
   * Keeps answers until the feed reports a change, instead of for a second. `mayKeep` returns false for an answer that
   * may change without a report.
   */
  keep?: { changes: ChangeFeed; mayKeep(answer: Answer): boolean }
  /**
   * Returns previous answers while the database is unavailable. Use this only for data that is the same for all
   * callers. Do not use it for answers composed of other such answers, because their ages would add up.
   */
  stale?: boolean
}

/**
 * Caches answers that are the same for all callers, for at most a second unless `keep` is set. This is long enough to
 * absorb a burst of requests, and short enough that the answers of different processes hardly differ. All answers
 * expire at the next full second, so that an answer that contains other cached answers lives no longer than they do.
 * Concurrent callers share one load; failures are not cached.
 */
export function createResponseCache<Answer = Serialised>(
  clock: Clock,
  { stale = false, keep }: Options<Answer> = {},
) {
  const fallback = stale ? createStaleFallback<Answer>() : undefined
  const kept = keep && createKeptAnswers(keep)
  const answers = new Map<string, Entry<Answer>>()
  const loadAndStore = (key: string, load: () => Promise<Answer>, now: number) => {
    dropExpired(answers, now)
    if (answers.size >= maxEntries) answers.clear()
    const version = keep?.changes.version()
    const loadAndKeep = () => {
      const loading = load()
      // Keeps only a newly loaded answer. After a failed load, an older answer may be returned.
      if (version !== undefined)
        void loading.then(
          (answer) => kept?.add(key, { answer, until: now + keptMs }, version),
          () => {},
        )
      return loading
    }
    const answer = fallback ? fallback.load(key, loadAndKeep, now) : loadAndKeep()
    const entry: Entry<Answer> = { until: now - (now % lifetimeMs) + lifetimeMs, answer, version }
    answers.delete(key)
    answers.set(key, entry)
    entry.answer.catch(() => answers.get(key) === entry && answers.delete(key))
    return entry.answer
  }
  return {
    /** Number of cached answers. */
    get size() {
      return answers.size + (kept?.size() ?? 0)
    },
    get(key: string, load: () => Promise<Answer>): Promise<Answer> {
      const now = clock.now().getTime()
      const keptAnswer = kept?.find(key, now)
      if (keptAnswer) {
        // The answer is still valid now, so its age as a previous answer counts from now on.
        fallback?.remember(key, keptAnswer.answer, now)
        return Promise.resolve(keptAnswer.answer)
      }
      const entry = answers.get(key)
      const isCurrent = entry?.version === undefined || entry.version === keep?.changes.version()
      return entry && entry.until > now && isCurrent ? entry.answer : loadAndStore(key, load, now)
    },
  }
}

interface Entry<Answer> {
  until: number
  answer: Promise<Answer>
  /** The version of the data when the load began; undefined if changes may go unnoticed. */
  version: number | undefined
}

interface KeptAnswer<Answer> {
  until: number
  answer: Answer
}

/**
 * Keeps answers of the current version of the data. They have a separate map, because the map of answers that live for
 * a second is in the order of expiry.
 */
function createKeptAnswers<Answer>({ changes, mayKeep }: NonNullable<Options<Answer>['keep']>) {
  const kept = new Map<string, KeptAnswer<Answer>>()
  let keptVersion: number | undefined
  const dropOutdated = () => {
    const version = changes.version()
    if (version !== keptVersion) kept.clear()
    keptVersion = version
  }
  return {
    size: () => kept.size,
    find(key: string, now: number): KeptAnswer<Answer> | undefined {
      dropOutdated()
      const found = kept.get(key)
      return found && found.until > now ? found : undefined
    },
    /**
     * @param version the version of the data when the load began
     */
    add(key: string, loaded: KeptAnswer<Answer>, version: number): void {
      dropOutdated()
      if (version !== keptVersion || !mayKeep(loaded.answer)) return
      kept.delete(key)
      const [oldest] = kept.keys()
      if (kept.size >= maxEntries && oldest !== undefined) kept.delete(oldest)
      kept.set(key, loaded)
    },
  }
}

/**
 * Remembers the latest answers, and returns one if a load fails because the database is unavailable. After the first
 * such failure, callers with a remembered answer no longer wait; their loads continue in the background until the
 * database responds.
 */
function createStaleFallback<Answer>() {
  const staleAnswers = new Map<string, { at: number; answer: Answer }>()
  let isDatabaseDown = false
  /** Remembers an answer that is valid at this time. */
  const remember = (key: string, answer: Answer, at: number) => {
    staleAnswers.delete(key)
    staleAnswers.set(key, { at, answer })
    const [oldest] = staleAnswers.keys()
    if (staleAnswers.size > maxStaleAnswers && oldest !== undefined) staleAnswers.delete(oldest)
  }
  return {
    remember,
    async load(key: string, load: () => Promise<Answer>, now: number): Promise<Answer> {
      const remembered = staleAnswers.get(key)
      const former = remembered && now - remembered.at <= staleMs ? remembered : undefined
      const loaded = load().then(
        (answer) => {
          isDatabaseDown = false
          remember(key, answer, now)
          return answer
        },
        (error: unknown) => {
          isDatabaseDown ||= isDatabaseUnreachable(error)
          if (isDatabaseUnavailable(error)) {
            if (former) return former.answer
          } else staleAnswers.delete(key)
          throw error
        },
      )
      if (!isDatabaseDown || !former) return loaded
      loaded.catch(() => {})
      return former.answer
    },
  }
}

/** Drops expired entries. They are in the order of expiry, so only expired ones are visited. */
function dropExpired(answers: Map<string, { until: number }>, now: number): void {
  for (const [key, { until }] of answers) {
    if (until > now) return
    answers.delete(key)
  }
}

/**
 * Finds rows by their ids. Each row is cached like an answer; missing rows are loaded together. Ids without a row are
 * absent from the result.
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
