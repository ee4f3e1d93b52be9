import { setTimeout as delay } from 'node:timers/promises'
import type { SavedPosition } from '#contract/library.ts'
import type { RunningExperiment } from '#server/features/experiments/experiments.ts'
import { createAnswerCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { AdIds } from '#server/platform/http/route.ts'
import type { Log } from '#server/platform/log.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import type { Db, Tx } from '#server/tables.ts'
import { admitTo, halfHourOf, isFinished, readSave, type Admission, type SavedNow } from './save-position.ts'
import { selectEpisode } from '#server/features/library/queries.ts'
import type { HistoryRow } from './history-queries.ts'
import { writeSaves, writeSavesWithin, type Batch, type CountPlays, type Watched } from './write-saves.ts'

/** A call that saves a viewer's position, with the data of its headers. */
export interface SaveCall {
  userId: string
  position: Partial<SavedPosition>
  ip: string
  zone: string | undefined
  ids: AdIds
}

/**
 * Batches the positions of viewers, so that the database gets few large writes instead of many small ones. Each is buffered in this
 * process for less than a second, and is lost if the process is killed meanwhile.
 */
export interface WaitingSaves {
  /**
   * Accepts a position if all data it needs is in memory.
   * @returns the entry, or undefined if the database must be queried
   * @throws Fault tooMany for a play over the quota of the network
   */
  accept(call: SaveCall): Promise<Partial<SavedPosition> | undefined>
  /** Caches the database's answer to a position, so that later ones can be accepted. */
  remember(call: SaveCall, saved: SavedNow): void
  /** Writes a user's pending positions before their records are read or changed. */
  settle(userId: string): Promise<void>
  /**
   * Writes a user's pending positions in the transaction that merges or deletes their records. Writing them again later changes
   * nothing.
   */
  settleWithin(tx: Tx, userId: string): Promise<void>
  /** Drops the cache of a user, so that the database is queried for their next positions. */
  forget(userId: string): void
  /** Writes all pending positions. */
  flush(): Promise<void>
  /** Writes all pending positions, and accepts no more. */
  stop(): Promise<void>
}

interface Options {
  db: Db
  clock: Clock
  log: Log
  countPlays: CountPlays
  quotas: Pick<NetworkQuotas, 'take'>
  running(): Promise<readonly RunningExperiment[]>
  /** Maximum delay of a batch, in milliseconds. */
  delayMs?: number
}

/** A viewer's admission to an episode, and what was recorded of it in this half hour. */
type Admitted = Admission & { half_hour: Date; finished: boolean }

/** Cached data of a viewer in a video. */
interface Known {
  entry: Omit<HistoryRow, 'user_id'>
  zone: string | undefined
  ids: string
  /** By episode id. */
  admitted: Map<string, Admitted>
}

const batchSize = 500
const mostPeople = 20_000
const mostVideos = 20
/** Maximum number of attempts to write while the account is being merged or deleted. */
const mostTries = 30
const usualDelayMs = 900
const againMs = 250

export function holdSaves({
  db,
  clock,
  log,
  countPlays,
  quotas,
  running,
  delayMs = usualDelayMs,
}: Options): WaitingSaves {
  const known = new Map<string, Map<string, Known>>()
  const episodes = createAnswerCache<Awaited<ReturnType<typeof selectEpisode>>>(clock)
  const places = new Map<string, HistoryRow>()
  let watched: Watched[] = []
  /** Users with positions that are pending or being written. */
  const waiting = new Set<string>()
  const tries = new Map<string, number>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  let failing = false
  let stopped = false

  const keyOf = ({ user_id, video_id }: Pick<HistoryRow, 'user_id' | 'video_id'>) => `${user_id} ${video_id}`
  const isEmpty = () => places.size === 0 && watched.length === 0
  const schedule = () => {
    if (!isEmpty() && !stopped) timer ??= setTimeout(() => void flush(), delayMs).unref()
  }

  /** The newest position wins, also when a failed write returns an older one. */
  const addPlace = (row: HistoryRow) => {
    const before = places.get(keyOf(row))
    if (!before || before.at < row.at) places.set(keyOf(row), row)
    waiting.add(row.user_id)
  }
  const addWatched = (rows: readonly Watched[]) => {
    watched = [...watched, ...rows]
    for (const { user_id } of rows) waiting.add(user_id)
  }

  async function admission(call: SaveCall, { admitted }: Known, now: Date) {
    const { episode_id = '' } = call.position
    const half_hour = halfHourOf(now)
    const before = admitted.get(episode_id)
    if (before && before.half_hour.getTime() === half_hour.getTime()) return before
    const episode = await episodes.get(episode_id, () => selectEpisode(db, episode_id))
    const given = await admitTo(db, call, episode, now, await running())
    return { ...given, half_hour, finished: before?.finished ?? false }
  }

  function take(most: number): Batch {
    const taken = { places: [...places.values()].slice(0, most), watched: watched.slice(0, most) }
    for (const row of taken.places) places.delete(keyOf(row))
    watched = watched.slice(most)
    return taken
  }

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing = writing.then(writeAll).finally(schedule)
    return writing
  }

  async function writeAll(): Promise<void> {
    while (!isEmpty()) {
      const batch = take(batchSize)
      const left = await writeSaves(db, batch, countPlays).catch((error: unknown) => judge(error, batch))
      if (left === 'failed') return
      // The history entry may be deleted: the next position queries the database, which creates one.
      for (const { user_id } of left.places) known.delete(user_id)
      const people = new Set([...left.places, ...left.watched].map(({ user_id }) => user_id))
      const again = new Set([...people].filter(mayTryAgain))
      left.places.filter(({ user_id }) => again.has(user_id)).forEach(addPlace)
      addWatched(left.watched.filter(({ user_id }) => again.has(user_id)))
      if (again.size > 0) return
    }
    waiting.clear()
    tries.clear()
    if (failing) log.info('Writing positions succeeded again')
    failing = false
  }

  function mayTryAgain(userId: string): boolean {
    const tried = (tries.get(userId) ?? 0) + 1
    tries.set(userId, tried)
    if (tried > mostTries) log.warn({ user: userId }, 'Dropping a position that could not be written')
    return tried <= mostTries
  }

  /** Handles a failed batch: it is kept, or is written row by row if the database refuses one of its rows. */
  async function judge(error: unknown, batch: Batch): Promise<Batch | 'failed'> {
    if (isRefused(error)) return writeEach(batch)
    if (!failing)
      log.warn({ err: error, waiting: waiting.size }, 'Writing positions failed; they will be retried')
    failing = true
    batch.places.forEach(addPlace)
    addWatched(batch.watched)
    return 'failed'
  }

  async function writeEach(batch: Batch): Promise<Batch> {
    const parts: Batch[] = [
      ...batch.places.map((row) => ({ places: [row], watched: [] })),
      ...batch.watched.map((row) => ({ places: [], watched: [row] })),
    ]
    const left: Batch[] = []
    for (const part of parts)
      left.push(
        await writeSaves(db, part, countPlays).catch((error: unknown) => {
          if (!isRefused(error)) return part
          log.warn({ err: error }, 'Dropping a position that the database refused')
          return { places: [], watched: [] }
        }),
      )
    return { places: left.flatMap((part) => part.places), watched: left.flatMap((part) => part.watched) }
  }

  return {
    async accept(call) {
      const now = clock.now()
      const { video_id, episode_id, position_ms, at } = readSave(call.position, now)
      const videos = known.get(call.userId)
      const before = videos?.get(video_id)
      if (!before || stopped || before.zone !== call.zone || before.ids !== JSON.stringify(call.ids))
        return undefined
      const admitted = await admission(call, before, now).catch(() => undefined)
      // Evicted or replaced meanwhile.
      if (!admitted || known.get(call.userId)?.get(video_id) !== before || stopped) return undefined
      const finished = isFinished(position_ms, admitted)
      const mayBePlay = before.admitted.get(episode_id)?.half_hour.getTime() !== admitted.half_hour.getTime()
      if (mayBePlay) quotas.take('library', call.ip)
      if (mayBePlay || (finished && !admitted.finished)) {
        const { half_hour, source } = admitted
        const seen = { user_id: call.userId, video_id, episode_id, half_hour, source, at: now, ids: call.ids }
        addWatched([{ ...seen, mayBePlay, finished }])
      }
      before.admitted.set(episode_id, { ...admitted, finished: admitted.finished || finished })
      if (before.entry.at < at) {
        before.entry = { video_id, episode_id, position_ms: Math.min(position_ms, admitted.end), at }
        addPlace({ user_id: call.userId, ...before.entry })
      }
      schedule()
      return { ...before.entry, at: before.entry.at.toISOString() }
    },
    remember(call, { entry, admission: given, half_hour, finished }) {
      if (!entry) return
      const videos = known.get(call.userId) ?? new Map<string, Known>()
      const admitted = videos.get(entry.video_id)?.admitted ?? new Map<string, Admitted>()
      const episodeId = call.position.episode_id ?? ''
      admitted.set(episodeId, { ...given, half_hour, finished })
      const { video_id, episode_id, position_ms, at } = entry
      const fresh = { video_id, episode_id, position_ms, at }
      // Keeps the most recently used at the end.
      known.delete(call.userId)
      keepWithin(known, mostPeople)
      known.set(call.userId, videos)
      keepWithin(videos, mostVideos)
      videos.set(video_id, { entry: fresh, zone: call.zone, ids: JSON.stringify(call.ids), admitted })
    },
    async settle(userId) {
      if (waiting.has(userId)) await flush()
    },
    async settleWithin(tx, userId) {
      known.delete(userId)
      if (!waiting.has(userId)) return
      const isTheirs = ({ user_id }: { user_id: string }) => user_id === userId
      const theirs = { places: [...places.values()].filter(isTheirs), watched: watched.filter(isTheirs) }
      await writeSavesWithin(tx, theirs, countPlays)
    },
    forget: (userId) => void known.delete(userId),
    flush,
    async stop() {
      stopped = true
      await flush()
      // Accounts that were locked by another transaction.
      if (!isEmpty()) await delay(againMs).then(flush)
      if (!isEmpty()) log.warn({ lost: waiting.size }, 'Lost pending positions because the database is down')
    },
  }
}

/** Evicts the least recently used entries to make room for one more. */
function keepWithin(map: Map<string, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size >= most && oldest !== undefined) map.delete(oldest)
}

/** Returns whether the database refuses a row of the batch, such as one whose episode is deleted (SQLSTATE classes 22 and 23). */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}
