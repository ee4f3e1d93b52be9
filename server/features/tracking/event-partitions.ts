import { setTimeout as delay } from 'node:timers/promises'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db } from '#server/tables.ts'
import {
  dropPartitionUnlessInUse,
  insertEventPartitions,
  selectPartitionsBefore,
} from './event-partition-queries.ts'

/** Number of months after the current month whose partitions are created in advance. */
const monthsAhead = 2
/** Maximum number of attempts to drop a partition in use. After that, the next run of the job tries again. */
const maxDropAttempts = 10
const maxDropRetryDelayMs = 300
const lockNotAvailable = '55P03'
const checkViolation = '23514'

/** Creates the missing partitions of the months that contain these times. Several processes may do this at once. */
export async function createEventPartitions(db: Db, times: readonly Date[]): Promise<void> {
  await inTransaction(db, (tx) => insertEventPartitions(tx, times))
}

/** Creates the missing partitions of the current month and the next ones. */
export async function createUpcomingEventPartitions(db: Db, now: Date): Promise<void> {
  const month = (ahead: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead))
  await createEventPartitions(
    db,
    Array.from({ length: monthsAhead + 1 }, (_, ahead) => month(ahead)),
  )
}

/**
 * Runs `write`, which must be a separate transaction. If it fails because a partition is missing, creates the
 * partitions of `times` and runs `write` again. A partition can be missing if the clock was moved or the job has not
 * run for months.
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

/**
 * Returns whether a write failed because a partition is missing. `events` has no CHECK constraints, so a check
 * violation can only have this cause.
 */
function isMissingPartitionError(error: unknown): boolean {
  return (
    codeOf(error) === checkViolation && error instanceof Error && 'table' in error && error.table === 'events'
  )
}

/**
 * Drops the partitions whose month ended before a time. If a partition is in use, for example by a backup, tries again
 * for some seconds.
 * @param prepare is called before each partition is dropped; an error keeps the partition
 * @returns the partitions that are still in use
 */
export async function dropEventPartitions(
  db: Db,
  before: Date,
  prepare = async (_partition: string): Promise<void> => {},
): Promise<string[]> {
  const skippedPartitions: string[] = []
  for (const partition of await selectPartitionsBefore(db, before)) {
    await prepare(partition)
    if (!(await dropPartition(db, partition))) skippedPartitions.push(partition)
  }
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
