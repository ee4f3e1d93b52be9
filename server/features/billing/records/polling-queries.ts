import { sql, type SelectQueryBuilder } from 'kysely'
import type { Db, Tables } from '#server/tables.ts'

/**
 * The time for which the last poll of a row is reserved for the process that took it. If that process crashes, another
 * process repeats the poll.
 */
const finalPollLeaseMs = 15 * 60_000

/** The rows to take for polling. */
export interface DueQuery {
  now: Date
  /** The maximum number of rows. */
  limit: number
  /** Returns the time of the next poll after `polls` polls, or null after the last poll. */
  next(polls: number): Date | null
}

/** The polling columns of a row. */
export interface Poll {
  poll_count: number
  next_poll_at: Date | null
}

/**
 * Takes due rows, longest due first, and schedules the next poll of each, so that two processes do not do the same
 * work. A row that is taken for its last poll remains scheduled until `endPoll`. If the process crashes before that,
 * another process repeats the poll.
 * @param open a query of all rows that may need polling, within a transaction
 * @param savePoll stores the number of polls and the next time of a row
 * @param column the column of the due time
 */
export async function takeDueForPolling<T extends keyof Tables, Row extends { poll_count: number }>(
  open: SelectQueryBuilder<Tables, T, Row>,
  { now, limit, next }: DueQuery,
  savePoll: (row: Row, poll: Poll) => { execute(): Promise<unknown> },
  column = 'next_poll_at',
): Promise<Row[]> {
  const due: Row[] = await open
    .where(sql<boolean>`${sql.ref(column)} <= ${now}`)
    .orderBy(sql.ref(column))
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const row of due) {
    const poll_count = row.poll_count + 1
    await savePoll(row, { poll_count, next_poll_at: next(poll_count) ?? leaseUntil(now) }).execute()
  }
  return due
}

const leaseUntil = (now: Date) => new Date(now.getTime() + finalPollLeaseMs)

/** The tables whose rows are polled. */
export type PolledTable =
  | 'payment_attempts'
  | 'payment_method_setups'
  | 'webhook_events'
  | 'orders'
  | 'gateway_customers_to_delete'
  | 'payment_methods'
  | 'refunds'

/**
 * Ends the polling of a row after its last poll, unless the last poll itself has scheduled another poll.
 * @param key the columns of the row's key, with their values
 * @param now the time at which the row was taken
 * @param column as for `takeDueForPolling`
 */
export async function endPoll(
  db: Db,
  table: PolledTable,
  key: Readonly<Record<string, string>>,
  now: Date,
  column = 'next_poll_at',
): Promise<void> {
  const keyConditions = Object.entries(key).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = NULL
    WHERE ${sql.join(keyConditions, sql` AND `)} AND ${sql.ref(column)} = ${leaseUntil(now)}`.execute(db)
}
