import { setTimeout as delay } from 'node:timers/promises'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db } from '#server/tables.ts'
import {
  dropPartitionUnlessInUse,
  insertEventPartitions,
  selectPartitionsBefore,
} from './event-partition-queries.ts'

/** Number of months created ahead, beside the current one. */
const monthsAhead = 2
/** Maximum attempts to drop a month in use; afterwards it is left for the job's next round. */
const maxDropAttempts = 10
const maxDropRetryDelayMs = 300
const lockNotAvailable = '55P03'
const checkViolation = '23514'

/** Creates missing partitions for these times. Several processes may do it at once. */
export async function createEventPartitions(db: Db, times: readonly Date[]): Promise<void> {
  await inTransaction(db, (tx) => insertEventPartitions(tx, times))
}

/** Creates the partitions of this month and the next ones. */
export async function createUpcomingEventPartitions(db: Db, now: Date): Promise<void> {
  const month = (ahead: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead))
  await createEventPartitions(
    db,
    Array.from({ length: monthsAhead + 1 }, (_, ahead) => month(ahead)),
  )
}

/**
 * Runs `write`, which is a transaction of its own. If an event's month is missing, because the clock was moved or no job has run for
 * months, it creates the months of `times` and runs it again.
 */
export async function withEventPartitions<Result>(
  db: Db,
  times: readonly Date[],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isMissingPartitionError(error)) throw error
  }
  await createEventPartitions(db, times)
  return write()
}

/** Returns whether an event's partition is missing. The table has no checks of its own, so a failed one is about the partition. */
function isMissingPartitionError(error: unknown): boolean {
  return (
    codeOf(error) === checkViolation && error instanceof Error && 'table' in error && error.table === 'events'
  )
}

/**
 * Drops the months that ended before a time. A month in use, such as by a backup, is retried for some seconds. @returns the
 * partitions left for the next time
 */
export async function dropEventPartitions(db: Db, before: Date): Promise<string[]> {
  const skippedPartitions: string[] = []
  for (const partition of await selectPartitionsBefore(db, before))
    if (!(await dropPartition(db, partition))) skippedPartitions.push(partition)
  return skippedPartitions
}

async function dropPartition(db: Db, partition: string): Promise<boolean> {
  for (let attempt = 1; attempt <= maxDropAttempts; attempt++) {
    try {
      await inTransaction(db, (tx) => dropPartitionUnlessInUse(tx, partition))
      return true
    } catch (error) {
      if (codeOf(error) !== lockNotAvailable) throw error
    }
    await delay(Math.random() * maxDropRetryDelayMs)
  }
  return false
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
