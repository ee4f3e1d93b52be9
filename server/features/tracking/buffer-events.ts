import type { JoinWrites } from '#server/platform/join-writes.ts'
import type { Log } from '#server/platform/log.ts'
import type { Tx } from '#server/tables.ts'
import type { WritePrepared } from './write-events.ts'

/** Buffers events briefly, so that the database gets few large writes instead of many small ones. */
export interface EventBuffer<T> {
  add(event: T): void
  /**
   * Returns the number of events that were dropped since the start. An event is dropped if the buffer is full or the
   * database refuses it.
   */
  dropped(): number
  /** Stops accepting events, and writes the buffered events. */
  stop(): Promise<void>
}

interface Options<T> {
  joinWrites: JoinWrites<Tx>
  /** Prepares a batch for a transaction with other data. Must not reject. */
  prepare(batch: readonly T[]): Promise<WritePrepared>
  /**
   * Writes a batch in its own transaction.
   * @returns the users whose events are to be trimmed
   */
  write(batch: readonly T[]): Promise<readonly string[]>
  /**
   * Returns whether an event can be prepared without waiting. Otherwise the event is written in a later transaction.
   */
  isReady(event: T): boolean
  /** Deletes a user's oldest events if the user's events exceed their maximum total size. */
  trim(userId: string): Promise<void>
  log: Log
  /** Maximum number of buffered events. If the buffer is full, the oldest event is dropped for each new one. */
  capacity?: number
}

const batchSize = 1000

/**
 * Creates a buffer that writes events in batches at least every second, so that a crash loses at most the last second.
 * While the database is unavailable, up to `capacity` events are buffered, and the write is retried.
 */
export function bufferEvents<T extends object>(options: Options<T>): EventBuffer<T> {
  const { joinWrites, prepare, write, isReady, trim, log, capacity = 10_000 } = options
  const bufferedEvents = new Set<T>()
  let dropped = 0
  let failing = false
  let stopped = false

  const trims = trimInBackground(trim, log)
  const isEmpty = () => bufferedEvents.size === 0
  /** Returns the oldest events. They remain in the buffer until they are written. */
  const firstBatch = () => [...bufferedEvents].slice(0, batchSize)
  const writes = joinWrites({ isEmpty, take, writeAll })

  async function take() {
    const batch = [...bufferedEvents].filter(isReady).slice(0, batchSize)
    if (batch.length === 0) return undefined
    const writePrepared = await prepare(batch)
    return {
      isFull: batch.length === batchSize,
      async write(tx: Tx) {
        const userIds = await writePrepared(tx)
        return () => {
          remove(batch, 'written')
          trims.add(userIds)
        }
      },
      putBack: () => {},
    }
  }

  async function writeAll(): Promise<void> {
    while (!isEmpty()) {
      const batch = firstBatch()
      const outcome = await write(batch).then((userIds) => {
        trims.add(userIds)
        return 'written' as const
      }, handleWriteError)
      if (outcome === 'failed') return
      remove(batch, outcome)
    }
  }

  function remove(batch: readonly T[], outcome: 'written' | 'refused'): void {
    if (outcome === 'refused') dropped += batch.length
    for (const event of batch) bufferedEvents.delete(event)
    if (outcome === 'refused' || !failing) return
    failing = false
    log.info({ dropped }, 'Analytics events are written again')
  }

  function handleWriteError(error: unknown): 'failed' | 'refused' {
    const refused = isPermanentWriteError(error)
    if (refused || !failing)
      log.warn(
        { err: error, waiting: bufferedEvents.size },
        refused ? 'A batch of events was refused and is dropped' : 'Analytics events wait for the database',
      )
    failing = !refused
    return refused ? 'refused' : 'failed'
  }

  return {
    add(event) {
      if (stopped) return
      const [oldest] = bufferedEvents
      if (oldest && bufferedEvents.size >= capacity) {
        bufferedEvents.delete(oldest)
        dropped += 1
      }
      bufferedEvents.add(event)
      writes.schedule()
    },
    dropped: () => dropped,
    async stop() {
      stopped = true
      await writes.stop()
      await trims.stop()
      if (bufferedEvents.size > 0)
        log.warn(
          { lost: bufferedEvents.size },
          'Analytics events were lost because the database is unavailable',
        )
    },
  }
}

/** Trims the events of users one after the other, so that no write waits for a trim. A failed trim is not repeated. */
function trimInBackground(trim: (userId: string) => Promise<void>, log: Log) {
  const waiting = new Set<string>()
  let running: Promise<void> | undefined
  async function trimAll(): Promise<void> {
    for (const userId of waiting) {
      waiting.delete(userId)
      await trim(userId).catch((error: unknown) =>
        log.debug({ err: error }, 'A user’s events could not be trimmed; a later write will trim them'),
      )
    }
    running = undefined
  }
  return {
    add(userIds: readonly string[]): void {
      for (const userId of userIds) waiting.add(userId)
      if (waiting.size > 0) running ??= trimAll()
    },
    /** Discards the waiting trims, and waits for the trim that is running. */
    async stop(): Promise<void> {
      waiting.clear()
      await running
    },
  }
}

/**
 * Returns whether a retry of the batch is pointless. This is the case if its data is invalid (SQLSTATE classes 22 and
 * 23). It is also the case if the disk is full (53100), because the remaining space is needed for more important data.
 */
function isPermanentWriteError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]|^53100$/.test(String(error.code))
}
