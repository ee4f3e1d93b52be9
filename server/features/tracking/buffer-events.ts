import type { Log } from '#server/platform/log.ts'
import { bindToCaller } from '#server/platform/request-id.ts'

/** Buffers events briefly, so that the database gets few large writes instead of many small ones. */
export interface EventBuffer<T> {
  add(event: T): void
  /**
   * Returns the number of events dropped since the start because the buffer was full or the database refused them.
   */
  dropped(): number
  /** Stops accepting events, and writes the buffered ones. */
  stop(): Promise<void>
}

interface Options<T> {
  /** Writes a batch atomically. */
  write(batch: readonly T[]): Promise<void>
  log: Log
  /** Maximum number of buffered events. Beyond it, the oldest event is dropped for each new one. */
  capacity?: number
  /**
   * Maximum time in milliseconds that an event waits for its batch. If the process crashes, events of this time are
   * lost.
   */
  delayMs?: number
}

const batchSize = 1000

/**
 * Creates a buffer that writes events in batches at least every second, so that a crash loses at most the last second.
 * While the database is unavailable, up to `capacity` events are buffered, and the write is retried.
 */
export function bufferEvents<T extends object>(options: Options<T>): EventBuffer<T> {
  const { write, log, capacity = 10_000, delayMs = 900 } = options
  const bufferedEvents = new Set<T>()
  let dropped = 0
  let failing = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const schedule = () => {
    if (bufferedEvents.size > 0 && !stopped) timer ??= setTimeout(flushLater, delayMs).unref()
  }
  const flushLater = bindToCaller(() => void flush())

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= writeAll().finally(() => {
      writing = undefined
      schedule()
    })
    return writing
  }

  async function writeAll(): Promise<void> {
    while (bufferedEvents.size > 0) {
      const batch = [...bufferedEvents].slice(0, batchSize)
      const outcome = await write(batch).then(() => 'written' as const, handleWriteError)
      if (outcome === 'failed') return
      if (outcome === 'refused') dropped += batch.length
      for (const event of batch) bufferedEvents.delete(event)
      if (outcome === 'written' && failing) {
        failing = false
        log.info({ dropped }, 'Analytics events are written again')
      }
    }
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
      if (!writing) schedule()
    },
    dropped: () => dropped,
    async stop() {
      stopped = true
      await writing
      await flush()
      if (bufferedEvents.size > 0)
        log.warn(
          { lost: bufferedEvents.size },
          'Analytics events were lost because the database is unavailable',
        )
    },
  }
}

/**
 * Returns whether a retry of the batch is pointless: its data is invalid (SQLSTATE classes 22 and 23), or the disk is
 * full (53100), and its remaining space is needed for more important data.
 */
function isPermanentWriteError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]|^53100$/.test(String(error.code))
}
