import type { Log } from '#server/platform/log.ts'

/** Buffers events briefly, so that the database gets few large writes instead of many small ones. */
export interface EventBuffer<T> {
  add(event: T): void
  /** Number of events dropped because the buffer was full, since the start. */
  dropped(): number
  /** Writes buffered events and accepts no more. */
  stop(): Promise<void>
}

interface Options<T> {
  /** Writes a batch atomically. */
  write(batch: readonly T[]): Promise<void>
  log: Log
  /** Maximum buffered events; the oldest are dropped for newer ones. */
  capacity?: number
  /** Maximum wait of the first event of a batch, in milliseconds; so much may be lost with the process. */
  delayMs?: number
}

const batchSize = 1000

/**
 * Writes events in batches at least every second, so that at most the last second is lost with the process. While the database is
 * unavailable up to `capacity` events are buffered and retried.
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
    if (bufferedEvents.size > 0 && !stopped) timer ??= setTimeout(() => void flush(), delayMs).unref()
  }

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
 * Returns whether the database refuses this batch: because of its data (SQLSTATE classes 22 and 23), or because the disk is full
 * (53100), whose space more important data needs.
 */
function isPermanentWriteError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]|^53100$/.test(String(error.code))
}
