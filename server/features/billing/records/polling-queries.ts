import { sql, type SelectQueryBuilder } from 'kysely'
import type { Db, Tables } from '#server/tables.ts'

/** How long a last look is reserved for its process. If that dies, another process repeats it. */
const heldMs = 15 * 60_000

/** What is looked at now, how much of it at once, and when it is looked at next after that many looks; null for never again. */
export interface Due {
  now: Date
  limit: number
  next(checks: number): Date | null
}

/** What a row notes of a look at it. */
export interface Poll {
  checks: number
  check_at: Date | null
}

/**
 * Takes rows whose time has come, the longest due first, and counts a look at each, so that two processes do not do the same
 * work. After its last look a row stays scheduled until `endPoll`, so that the death of a process never leaves it open for good.
 * @param open those of a table that are to be looked at some time, in a transaction
 * @param note has one of them keep the look
 * @param column where it is kept when their time comes
 */
export async function takeDueForPolling<T extends keyof Tables, Row extends { checks: number }>(
  open: SelectQueryBuilder<Tables, T, Row>,
  { now, limit, next }: Due,
  note: (row: Row, look: Poll) => { execute(): Promise<unknown> },
  column = 'check_at',
): Promise<Row[]> {
  const due: Row[] = await open
    .where(sql<boolean>`${sql.ref(column)} <= ${now}`)
    .orderBy(sql.ref(column))
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const row of due) {
    const checks = row.checks + 1
    await note(row, { checks, check_at: next(checks) ?? heldUntil(now) }).execute()
  }
  return due
}

const heldUntil = (now: Date) => new Date(now.getTime() + heldMs)

/** The tables whose rows are polled. */
export type LookedAt =
  | 'attempts'
  | 'method_changes'
  | 'webhook_events'
  | 'orders'
  | 'gateway_customers_to_delete'
  | 'payment_methods'
  | 'refunds'

/**
 * Ends the polling of a row after its last look, unless that has set another time.
 * @param key the columns of the row's key, with their values
 * @param now when it was taken
 * @param column as `takeDueForPolling` was told
 */
export async function endPoll(
  db: Db,
  table: LookedAt,
  key: Readonly<Record<string, string>>,
  now: Date,
  column = 'check_at',
): Promise<void> {
  const isIt = Object.entries(key).map(([name, value]) => sql`${sql.ref(name)} = ${value}`)
  await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = NULL
    WHERE ${sql.join(isIt, sql` AND `)} AND ${sql.ref(column)} = ${heldUntil(now)}`.execute(db)
}
