import type { Log } from './log.ts'
import { bindToCaller } from './request-id.ts'

/** Data in memory that is written to the database in batches. */
export interface WriteBuffer<Tx> {
  isEmpty(): boolean
  /** Takes a batch out of the buffer; undefined if it is empty. */
  take(): Promise<TakenBatch<Tx> | undefined>
  /** Writes all data in separate transactions, and keeps the data that cannot be written yet. */
  writeAll(): Promise<void>
}

/** A batch that is written in one transaction with batches of other buffers. */
export interface TakenBatch<Tx> {
  /** True if the buffer may contain more. */
  isFull: boolean
  /**
   * Writes the batch. May be called again if the transaction fails. @returns a function to call right after the commit
   */
  write(tx: Tx): Promise<() => void>
  /**
   * Returns the batch to its buffer after the transaction has failed. If the transaction was committed nevertheless,
   * the batch is written twice.
   */
  putBack(): void
}

/** When a buffer is written. */
export interface WriteSchedule {
  /** Writes the buffer within a second. */
  schedule(): void
  /** Writes the data that the buffer contains now. */
  flush(): Promise<void>
  /** Writes the data that the buffer contains, and ends the schedule. */
  stop(): Promise<void>
}

/** Adds a buffer to those that are written together. */
export type JoinWrites<Tx> = (buffer: WriteBuffer<Tx>) => WriteSchedule

/**
 * Together with the duration of a write, this is less than a second. So a killed process loses at most a second of
 * data.
 */
const defaultDelayMs = 950

/** Runs `work` in a transaction, several times if it conflicts with another one. */
type Transact<Tx> = <Result>(work: (tx: Tx) => Promise<Result>) => Promise<Result>

interface Queue<Tx> {
  buffer: WriteBuffer<Tx>
  /** True while the buffer is being written, or waits to be written. */
  isBusy(): boolean
  /** Runs `write` when the writes before it have ended. */
  enqueue(write: () => Promise<void>): Promise<void>
}

/**
 * Writes all buffers of a process in one transaction a second. A separate transaction for each buffer would cost more
 * than all other work for a viewer. If the transaction fails, each buffer is written on its own. A buffer that is still
 * being written is left out of the next transactions, so that it does not delay the others.
 */
export function joinWrites<Tx>(transact: Transact<Tx>, log: Log, delayMs = defaultDelayMs): JoinWrites<Tx> {
  const queues = new Set<Queue<Tx>>()
  let timer: NodeJS.Timeout | undefined
  const schedule = () => {
    timer ??= setTimeout(writeLater, delayMs).unref()
  }
  const writeLater = bindToCaller(writeQueues)

  function writeQueues(): void {
    timer = undefined
    // A busy buffer is scheduled again when its write ends.
    const filled = [...queues].filter(({ buffer, isBusy }) => !buffer.isEmpty() && !isBusy())
    const written = writeTogether(
      { transact, log },
      filled.map(({ buffer }) => buffer),
    )
    for (const { buffer, enqueue } of filled)
      void enqueue(async () => {
        if (!(await written).has(buffer)) await buffer.writeAll()
      })
  }

  return (buffer) => {
    let writing: Promise<void> = Promise.resolve()
    let unfinished = 0
    const enqueue: Queue<Tx>['enqueue'] = (write) => {
      unfinished++
      writing = writing
        .then(write)
        // A rejection would end all later writes.
        .catch((error: unknown) => log.error({ err: error }, 'Writing a buffer failed unexpectedly'))
        .finally(() => {
          unfinished--
          if (!buffer.isEmpty() && queues.has(queue)) schedule()
        })
      return writing
    }
    const queue = { buffer, isBusy: () => unfinished > 0, enqueue }
    queues.add(queue)
    const flush = () => enqueue(() => buffer.writeAll())
    return {
      schedule,
      flush,
      stop() {
        queues.delete(queue)
        return flush()
      },
    }
  }
}

/** Writes a batch of each buffer in one transaction. @returns the buffers that need no further write */
async function writeTogether<Tx>(
  { transact, log }: { transact: Transact<Tx>; log: Log },
  buffers: readonly WriteBuffer<Tx>[],
): Promise<ReadonlySet<WriteBuffer<Tx>>> {
  const batches = new Map<WriteBuffer<Tx>, TakenBatch<Tx>>()
  const unwritten = new Set<WriteBuffer<Tx>>()
  await Promise.all(
    buffers.map(async (buffer) => {
      try {
        const batch = await buffer.take()
        if (batch) batches.set(buffer, batch)
        if (batch?.isFull) unwritten.add(buffer)
      } catch (error) {
        log.error({ err: error }, 'A buffer could not be read, and is written on its own')
        unwritten.add(buffer)
      }
    }),
  )
  try {
    // Writes in the order of the buffers. All processes have the same order, so that they do not deadlock.
    const ordered = buffers.flatMap((buffer) => batches.get(buffer) ?? [])
    if (ordered.length > 0) await writeBatches({ transact, log }, ordered)
    return new Set(buffers.filter((buffer) => !unwritten.has(buffer)))
  } catch (error) {
    // Each buffer handles and logs the errors of its own batch.
    log.debug({ err: error }, 'Buffers could not be written in one transaction; each is written on its own')
    for (const batch of batches.values())
      runSafely(() => batch.putBack(), log, 'A batch could not be put back into its buffer, and is lost')
    return new Set()
  }
}

async function writeBatches<Tx>(
  { transact, log }: { transact: Transact<Tx>; log: Log },
  batches: readonly TakenBatch<Tx>[],
): Promise<void> {
  const afterCommit = await transact(async (tx) => {
    const finish: Awaited<ReturnType<TakenBatch<Tx>['write']>>[] = []
    for (const batch of batches) finish.push(await batch.write(tx))
    return finish
  })
  // If `finish` fails, the error is only logged: committed data must not be written again.
  for (const finish of afterCommit) runSafely(finish, log, 'A buffer could not remove its written data')
}

function runSafely(run: () => void, log: Log, failure: string): void {
  try {
    run()
  } catch (error) {
    log.error({ err: error }, failure)
  }
}
