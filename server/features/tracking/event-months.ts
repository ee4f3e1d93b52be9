import { setTimeout as delay } from 'node:timers/promises'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db } from '#server/tables.ts'
import { dropUnlessUsed, insertMonths, selectMonthsBefore } from './event-month-queries.ts'

/** How many months are made ahead, beside the current one. */
const monthsAhead = 2
/** How often a month that is being read is tried again; afterwards it is left for the next round of the job. */
const dropTries = 10
const dropPauseMs = 300
const lockNotAvailable = '55P03'
const checkViolation = '23514'

/** Makes the partitions that these moments are in, where they are missing. Several processes may do it at once. */
export async function makeEventMonths(db: Db, moments: readonly Date[]): Promise<void> {
  await inTransaction(db, (tx) => insertMonths(tx, moments))
}

/** Makes the partitions of this month and the next ones. */
export async function makeMonthsAhead(db: Db, now: Date): Promise<void> {
  const month = (ahead: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead))
  await makeEventMonths(
    db,
    Array.from({ length: monthsAhead + 1 }, (_, ahead) => month(ahead)),
  )
}

/**
 * Runs `write`, which is a transaction of its own. If an event's month is missing, since the clock was moved or no job has run for
 * months, makes the months of `moments` and runs it again.
 */
export async function withEventMonths<Result>(
  db: Db,
  moments: readonly Date[],
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!lacksMonth(error)) throw error
  }
  await makeEventMonths(db, moments)
  return write()
}

/** The table has no checks of its own, so that one that fails is about the partition. */
function lacksMonth(error: unknown): boolean {
  return (
    codeOf(error) === checkViolation && error instanceof Error && 'table' in error && error.table === 'events'
  )
}

/**
 * Drops the months of which all events are from before `before`. A month that is in use just now, such as by a backup, is tried again
 * for some seconds. @returns the partitions that stay until the next time
 */
export async function dropEventMonths(db: Db, before: Date): Promise<string[]> {
  const left: string[] = []
  for (const partition of await selectMonthsBefore(db, before))
    if (!(await dropMonth(db, partition))) left.push(partition)
  return left
}

async function dropMonth(db: Db, partition: string): Promise<boolean> {
  for (let tries = 1; tries <= dropTries; tries++) {
    try {
      await inTransaction(db, (tx) => dropUnlessUsed(tx, partition))
      return true
    } catch (error) {
      if (codeOf(error) !== lockNotAvailable) throw error
    }
    await delay(Math.random() * dropPauseMs)
  }
  return false
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
