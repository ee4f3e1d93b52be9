import { setTimeout as delay } from 'node:timers/promises'
import type { SavedPosition } from '#contract/library.ts'
import type { RunningExperiment } from '#server/features/experiments/experiments.ts'
import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { ChangeFeed } from '#server/platform/database/catalogue-changes.ts'
import type { AdClickIds } from '#server/platform/http/route.ts'
import type { JoinWrites } from '#server/platform/join-writes.ts'
import type { Log } from '#server/platform/log.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  checkPlaybackAccess,
  halfHourOf,
  isFinished,
  parsePosition,
  type SaveResult,
} from './save-position.ts'
import { aggregatePlays } from '#server/features/library/counts/aggregate-counts.ts'
import { selectEpisode } from '#server/features/library/entitlement-queries.ts'
import type { StoredViewing } from './history-queries.ts'
import { cacheAccess, createPositionCache, type CachedPosition } from './position-cache.ts'
import {
  writePositionBatch,
  writePositionBatchInTransaction,
  type PendingPosition,
  type PositionBatch,
  type CountPlays,
  type WatchRecord,
} from './write-positions.ts'

/** A call that saves a viewer's position, with the data of its headers. */
export interface SaveCall {
  userId: string
  position: Partial<SavedPosition>
  ip: string
  zone: string | undefined
  ids: AdClickIds
}

/**
 * Buffers the positions of viewers, so that the database gets a few large writes instead of many small ones. A position
 * is in this process's memory for less than a second. It is lost if the process is killed in that time.
 */
export interface PositionBuffer {
  /**
   * Accepts a position if all data that it needs is in memory.
   * @returns the entry, or undefined if the database must be queried
   * @throws Fault tooManyRequests if a play exceeds the quota of the viewer's network
   */
  accept(call: SaveCall): Promise<Partial<SavedPosition> | undefined>
  /** Caches the result of a position that the database saved, so that later positions can be accepted. */
  cache(call: SaveCall, saved: SaveResult): void
  /**
   * Caches the data that was read when a viewer opened a video, so that even the first position in the video can be
   * accepted.
   */
  cacheViewing(userId: string, videoId: string, viewing: StoredViewing): void
  /** Writes a user's pending positions before their records are read or changed. */
  flushUser(userId: string): Promise<void>
  /**
   * Writes a user's positions that are pending or being written, in the transaction that merges or deletes the user's
   * records. This transaction must have locked the account. The positions remain in the buffer. Writing them again
   * later changes nothing.
   */
  flushUserInTransaction(tx: Tx, userId: string): Promise<void>
  /** Drops the cache of a user, so that the database is queried for their next positions. */
  evict(userId: string): void
  /** Writes all pending positions. */
  flush(): Promise<void>
  /** Writes all pending positions. Then accepts no more positions. */
  stop(): Promise<void>
  /**
   * Makes this process count all plays in `play_count_changes` when it stops, including those of other processes. A
   * process of the previous release may be started next, and it does not read that table. Only processes that serve
   * calls need this.
   */
  countPlaysOnStop(): void
}

interface Options {
  db: Db
  clock: Clock
  log: Log
  countPlays: CountPlays
  quotas: Pick<NetworkQuotas, 'spendOrThrow'>
  running(): Promise<readonly RunningExperiment[]>
  joinWrites: JoinWrites<Tx>
  catalogueChanges: ChangeFeed
}

const batchSize = 500
/** Maximum number of attempts to write a position whose account is being merged or deleted. */
const maxAttempts = 30
const retryDelayMs = 250

export function bufferPositions({
  db,
  clock,
  log,
  countPlays,
  quotas,
  running,
  joinWrites,
  catalogueChanges,
}: Options): PositionBuffer {
  const cachedPositions = createPositionCache()
  const episodes = createResponseCache<Awaited<ReturnType<typeof selectEpisode>>>(clock, {
    keep: {
      changes: catalogueChanges,
      mayKeep: (row) => row?.asset_id != null,
      videoIdOf: (row) => row?.video_id,
    },
  })
  const positions = new Map<string, PendingPosition>()
  let watchRecords: WatchRecord[] = []
  /** Batches that were taken out of the buffer and whose transaction has not ended. */
  const batchesInProgress = new Set<PositionBatch>()
  /** Users with positions that are pending or being written. */
  let pendingUsers = new Set<string>()
  const attemptsByUser = new Map<string, number>()
  let failing = false
  let stopped = false
  let countsPlaysOnStop = false

  const keyOf = ({ user_id, video_id }: Pick<PendingPosition, 'user_id' | 'video_id'>) =>
    `${user_id} ${video_id}`
  const isEmpty = () => positions.size === 0 && watchRecords.length === 0
  const { schedule, flush, stop } = joinWrites({ isEmpty, take: async () => takeForTransaction(), writeAll })

  /** Keeps the newest position, even if a failed write returns an older one to the buffer. */
  const addPosition = (row: PendingPosition) => {
    const previous = positions.get(keyOf(row))
    const newest = previous && previous.at >= row.at ? previous : row
    // If either position is the first in its video, the row does not exist yet.
    positions.set(keyOf(row), { ...newest, isNew: row.isNew || previous?.isNew === true })
    pendingUsers.add(row.user_id)
  }
  const addWatchRecords = (rows: readonly WatchRecord[]) => {
    watchRecords = [...watchRecords, ...rows]
    for (const { user_id } of rows) pendingUsers.add(user_id)
  }

  async function resolveAccess(call: SaveCall, { accessByEpisode }: CachedPosition, now: Date) {
    const { episode_id = '' } = call.position
    const half_hour = halfHourOf(now)
    const cached = accessByEpisode?.get(episode_id)
    if (cached && cached.half_hour.getTime() === half_hour.getTime()) return cached
    const episode = await episodes.get(episode_id, () => selectEpisode(db, episode_id))
    const access = await checkPlaybackAccess(db, call, episode, now, await running())
    return { ...access, half_hour, finished: cached?.finished ?? false }
  }

  function takeBatch(): PositionBatch {
    const batch = {
      places: [...positions.values()].slice(0, batchSize),
      watched: watchRecords.slice(0, batchSize),
    }
    for (const row of batch.places) positions.delete(keyOf(row))
    watchRecords = watchRecords.slice(batchSize)
    batchesInProgress.add(batch)
    return batch
  }

  function putBack(batch: PositionBatch): void {
    batchesInProgress.delete(batch)
    batch.places.forEach(addPosition)
    addWatchRecords(batch.watched)
  }

  function takeForTransaction() {
    if (isEmpty()) return undefined
    const batch = takeBatch()
    return {
      isFull: !isEmpty(),
      async write(tx: Tx) {
        // With `fail`, a row that another transaction inserts at the same time makes this write fail. The batch is then
        // written again in its own transaction, with `wait`.
        const unwritten = await writePositionBatchInTransaction(tx, batch, countPlays, 'fail')
        return () => void finish(batch, unwritten)
      },
      putBack: () => putBack(batch),
    }
  }

  async function writeAll(): Promise<void> {
    while (!isEmpty()) {
      const batch = takeBatch()
      const unwritten = await writePositionBatch(db, batch, countPlays).catch((error: unknown) =>
        handleWriteError(error, batch),
      )
      if (unwritten === 'failed' || finish(batch, unwritten) === 'retry') return
    }
  }

  /** Handles a batch that was written. Returns the rows that need a retry to the buffer. */
  function finish(batch: PositionBatch, unwritten: PositionBatch): 'done' | 'retry' {
    const usersOf = ({ places, watched }: PositionBatch) =>
      new Set([...places, ...watched].map(({ user_id }) => user_id))
    // The history entry may have been deleted. Without the cache, the next position queries the database, which creates
    // an entry.
    for (const { user_id } of unwritten.places) cachedPositions.evict(user_id)
    const retryUserIds = new Set([...usersOf(unwritten)].filter(mayRetry))
    for (const userId of usersOf(batch)) if (!retryUserIds.has(userId)) attemptsByUser.delete(userId)
    putBack({
      places: unwritten.places.filter(({ user_id }) => retryUserIds.has(user_id)),
      watched: unwritten.watched.filter(({ user_id }) => retryUserIds.has(user_id)),
    })
    pendingUsers = usersOf({ places: [...positions.values()], watched: watchRecords })
    batchesInProgress.delete(batch)
    if (failing) log.info('Writing positions succeeded again')
    failing = false
    return retryUserIds.size > 0 ? 'retry' : 'done'
  }

  function mayRetry(userId: string): boolean {
    const attempts = (attemptsByUser.get(userId) ?? 0) + 1
    attemptsByUser.set(userId, attempts)
    if (attempts > maxAttempts) log.warn({ user: userId }, 'Dropping a position that could not be written')
    return attempts <= maxAttempts
  }

  /**
   * Handles a batch that failed. If the database refused a row, writes the batch row by row; otherwise returns it to
   * the buffer for a retry.
   */
  async function handleWriteError(error: unknown, batch: PositionBatch): Promise<PositionBatch | 'failed'> {
    if (isDataError(error)) return writeEach(batch)
    if (!failing)
      log.warn({ err: error, waiting: pendingUsers.size }, 'Writing positions failed; they will be retried')
    failing = true
    putBack(batch)
    return 'failed'
  }

  async function writeEach(batch: PositionBatch): Promise<PositionBatch> {
    const parts: PositionBatch[] = [
      ...batch.places.map((row) => ({ places: [row], watched: [] })),
      ...batch.watched.map((row) => ({ places: [], watched: [row] })),
    ]
    const unwritten: PositionBatch[] = []
    for (const part of parts)
      unwritten.push(
        await writePositionBatch(db, part, countPlays).catch((error: unknown) => {
          if (!isDataError(error)) return part
          log.warn({ err: error }, 'Dropping a position that the database refused')
          return { places: [], watched: [] }
        }),
      )
    return {
      places: unwritten.flatMap((part) => part.places),
      watched: unwritten.flatMap((part) => part.watched),
    }
  }

  async function countLastPlays(): Promise<void> {
    await aggregatePlays(db).catch((error: unknown) =>
      log.debug({ err: error }, 'The last plays could not be counted; another process will count them'),
    )
  }

  return {
    async accept(call) {
      const now = clock.now()
      const { video_id, episode_id, position_ms, at } = parsePosition(call.position, now)
      const cached = cachedPositions.get(call, video_id)
      if (!cached || stopped) return undefined
      const access = await resolveAccess(call, cached, now).catch(() => undefined)
      // In between, another call may have evicted or replaced the cached position.
      if (!access || cachedPositions.get(call, video_id) !== cached || stopped) return undefined
      const finished = isFinished(position_ms, access)
      const mayBePlay =
        cached.accessByEpisode?.get(episode_id)?.half_hour.getTime() !== access.half_hour.getTime()
      if (mayBePlay) quotas.spendOrThrow('library', call.ip)
      if (mayBePlay || (finished && !access.finished)) {
        const { half_hour, source } = access
        const record = {
          user_id: call.userId,
          video_id,
          episode_id,
          half_hour,
          source,
          at: now,
          ids: call.ids,
        }
        addWatchRecords([{ ...record, mayBePlay, finished }])
      }
      cacheAccess(cached, episode_id, { ...access, finished: access.finished || finished })
      const previous = cached.entry
      const entry =
        previous && previous.at >= at
          ? previous
          : { video_id, episode_id, position_ms: Math.min(position_ms, access.durationMs), at }
      if (entry !== previous) addPosition({ user_id: call.userId, ...entry, isNew: previous === undefined })
      cached.entry = entry
      schedule()
      return { ...entry, at: entry.at.toISOString() }
    },
    cache(call, saved) {
      cachedPositions.addSaved(call, call.position.episode_id ?? '', saved)
    },
    cacheViewing: cachedPositions.addLoaded,
    async flushUser(userId) {
      if (pendingUsers.has(userId)) await flush()
    },
    async flushUserInTransaction(tx, userId) {
      cachedPositions.evict(userId)
      if (!pendingUsers.has(userId)) return
      const belongsToUser = ({ user_id }: { user_id: string }) => user_id === userId
      // A batch in progress skips this user, because this transaction has locked the account. Once the account is
      // deleted, the user's rows in the batch are dropped.
      const unwritten = [...batchesInProgress, { places: [...positions.values()], watched: watchRecords }]
      const userBatch = {
        places: unwritten.flatMap(({ places }) => places.filter(belongsToUser)),
        watched: unwritten.flatMap(({ watched }) => watched.filter(belongsToUser)),
      }
      await writePositionBatchInTransaction(tx, userBatch, countPlays)
    },
    evict: cachedPositions.evict,
    flush,
    countPlaysOnStop() {
      countsPlaysOnStop = true
    },
    async stop() {
      stopped = true
      await stop()
      // Positions remain in the buffer if another transaction had locked their account.
      if (!isEmpty()) await delay(retryDelayMs).then(flush)
      if (!isEmpty())
        log.warn(
          { lost: pendingUsers.size },
          'Pending positions could not be written before the process stopped and are lost',
        )
      if (countsPlaysOnStop) await countLastPlays()
    },
  }
}

/**
 * Returns whether the database refused a row of the batch (SQLSTATE classes 22 and 23), for example because its episode
 * was deleted.
 */
function isDataError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]/.test(String(error.code))
}
