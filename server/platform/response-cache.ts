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
  /** Keeps answers until the feed reports a change, instead of for a second. */
  keep?: {
    changes: ChangeFeed
    /** Returns false for an answer that may change without a report. */
    mayKeep(answer: Answer): boolean
    /** Returns the video whose changes may change the answer; undefined if any change may. */
    videoIdOf(answer: Answer): string | undefined
  }
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
  const hasChanged = ({ videoId, version }: Entry<Answer>) =>
    keep !== undefined && keep.changes.lastChange(videoId).number > version
  const loadAndStore = (key: string, load: () => Promise<Answer>, now: number) => {
    dropExpired(answers, now)
    if (answers.size >= maxEntries) answers.clear()
    const version = keep?.changes.lastChange().number ?? 0
    const keepAnswer = (answer: Answer) => {
      entry.videoId = keep?.videoIdOf(answer)
      kept?.add(key, { answer, until: now + keptMs, version })
    }
    const loadAndKeep = () => {
      const loading = load()
      // Keeps only a newly loaded answer. After a failed load, an older answer may be returned.
      if (kept) void loading.then(keepAnswer, () => {})
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
      return entry && entry.until > now && !hasChanged(entry) ? entry.answer : loadAndStore(key, load, now)
    },
  }
}

interface Entry<Answer> {
  until: number
  answer: Promise<Answer>
  /** The number of the last change when the load began. */
  version: number
  /** Undefined during the load, and if any change may change the answer. */
  videoId?: string | undefined
}

interface KeptAnswer<Answer> {
  until: number
  answer: Answer
  version: number
}

/**
 * Keeps answers until their data changes. They have a separate map, because the map of answers that live for a second
 * is in the order of expiry.
 */
function createKeptAnswers<Answer>({ changes, mayKeep, videoIdOf }: NonNullable<Options<Answer>['keep']>) {
  const kept = new Map<string, KeptAnswer<Answer>>()
  const isCurrent = ({ answer, version }: KeptAnswer<Answer>) => {
    const { number, isSettled } = changes.lastChange(videoIdOf(answer))
    return isSettled && number <= version
  }
  return {
    size: () => kept.size,
    find(key: string, now: number): KeptAnswer<Answer> | undefined {
      const found = kept.get(key)
      if (!found || (found.until > now && isCurrent(found))) return found
      kept.delete(key)
      return undefined
    },
    add(key: string, loaded: KeptAnswer<Answer>): void {
      if (!isCurrent(loaded) || !mayKeep(loaded.answer)) return
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
