import type { Log } from '#server/platform/log.ts'

/** Holds events for a moment, so that the database sees few large writes instead of many small ones. */
export interface EventBuffer<T> {
  add(event: T): void
  /** Events that were dropped because too many waited, since the start. */
  dropped(): number
  /** Writes what waits; afterwards nothing is taken any more. */
  stop(): Promise<void>
}

interface Options<T> {
  /** Writes a batch, all of it or nothing. */
  write(batch: readonly T[]): Promise<void>
  log: Log
  /** The most that wait; the oldest make room for newer ones. */
  capacity?: number
  /** How long the first of a batch waits, in milliseconds. An event may be lost with its process this long. */
  delayMs?: number
}

const batchSize = 1000

/**
 * Writes events in batches at least every second (issue 3: the last second may be lost with the process). While the
 * database is away they wait, as many as `capacity`, and are tried again.
 */
export function bufferEvents<T extends object>(options: Options<T>): EventBuffer<T> {
  const { write, log, capacity = 10_000, delayMs = 900 } = options
  const waiting = new Set<T>()
  let dropped = 0
  let failing = false
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined

  const schedule = () => {
    if (waiting.size > 0 && !stopped) timer ??= setTimeout(() => void flush(), delayMs).unref()
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
    while (waiting.size > 0) {
      const batch = [...waiting].slice(0, batchSize)
      const outcome = await write(batch).then(() => 'written' as const, judge)
      if (outcome === 'failed') return
      if (outcome === 'refused') dropped += batch.length
      for (const event of batch) waiting.delete(event)
      if (outcome === 'written' && failing) {
        failing = false
        log.info({ dropped }, 'Analytics events are written again')
      }
    }
  }

  function judge(error: unknown): 'failed' | 'refused' {
    const refused = isRefused(error)
    if (refused || !failing)
      log.warn(
        { err: error, waiting: waiting.size },
        refused ? 'A batch of events was refused and is dropped' : 'Analytics events wait for the database',
      )
    failing = !refused
    return refused ? 'refused' : 'failed'
  }

  return {
    add(event) {
      if (stopped) return
      const [oldest] = waiting
      if (oldest && waiting.size >= capacity) {
        waiting.delete(oldest)
        dropped += 1
      }
      waiting.add(event)
      if (!writing) schedule()
    },
    dropped: () => dropped,
    async stop() {
      stopped = true
      await writing
      await flush()
      if (waiting.size > 0)
        log.warn({ lost: waiting.size }, 'Analytics events were lost: the database is away')
    },
  }
}

/**
 * The database does not take this batch: its data is at fault (SQLSTATE classes 22 and 23), or the disk is full (53100), where what
 * matters more than analytics needs the room.
 */
function isRefused(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^2[23]|^53100$/.test(String(error.code))
}
