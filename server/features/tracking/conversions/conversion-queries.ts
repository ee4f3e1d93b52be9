import { sql, type ExpressionBuilder, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import { deleteExpired, type PurgeOptions } from '#server/platform/database/delete-expired.ts'
import { readInOrder } from '#server/platform/database/read-pages.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { ConversionsTable, TrackingTables } from '#server/features/tracking/tables.ts'

export type ConversionRow = Selectable<ConversionsTable>
type ConversionKey = Pick<ConversionRow, 'destination' | 'name' | 'event_id'>

/** Queues conversions to be sent. Those that are already stored remain unchanged. */
export async function insertConversions(tx: Tx, rows: Insertable<ConversionsTable>[]): Promise<void> {
  await tx
    .insertInto('conversions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** SQL condition: true if a conversion is due at the time `$1`. */
export const anyDueConversions =
  "EXISTS (SELECT FROM conversions WHERE state = 'pending' AND next_attempt_at <= $1)"

/**
 * Claims the conversions that have been due longest, and schedules their next attempts, so that no other process sends
 * them at the same time.
 * @param delaysMs the delay after each attempt; after a later attempt, it is a minute
 * @returns the conversions; `attempts` is the number of the current attempt
 */
export async function claimDueConversions(
  db: Db,
  now: Date,
  delaysMs: readonly number[],
  limit: number,
): Promise<ConversionRow[]> {
  const { rows } = await sql<ConversionRow>`
    WITH due AS (
      SELECT destination, name, event_id FROM conversions WHERE state = 'pending' AND next_attempt_at <= ${now}
      ORDER BY next_attempt_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    UPDATE conversions SET attempts = attempts + 1, next_attempt_at = ${now}::timestamptz
      + coalesce((${delaysMs}::float8[])[attempts + 1], 60000) * interval '1 millisecond'
    FROM due WHERE (conversions.destination, conversions.name, conversions.event_id) = (due.destination, due.name, due.event_id)
    RETURNING conversions.*`.execute(db)
  return rows
}

/**
 * Sets the final state of conversions and deletes their details. The rows remain, so that the conversions are not queued
 * again.
 */
export async function finishConversions(
  tx: Tx,
  keys: readonly ConversionKey[],
  state: 'sent' | 'abandoned',
): Promise<void> {
  if (keys.length === 0) return
  await tx
    .updateTable('conversions')
    .set({ state, details: '{}' })
    .where('state', '=', 'pending')
    .where(hasKeyIn(keys))
    .execute()
}

/** Deletes those of these conversions that are waiting to be sent and still belong to one of their users. */
export async function deletePendingConversions(tx: Tx, rows: readonly ConversionRow[]): Promise<void> {
  if (rows.length === 0) return
  const userIds = rows.map(({ user_id }) => user_id)
  await tx
    .deleteFrom('conversions')
    .where('state', '=', 'pending')
    .where(hasKeyIn(rows))
    .where(sql<boolean>`user_id = ANY(${userIds})`)
    .execute()
}

const hasKeyIn =
  (keys: readonly ConversionKey[]) =>
  (row: ExpressionBuilder<Pick<TrackingTables, 'conversions'>, 'conversions'>) =>
    row(
      row.refTuple('destination', 'name', 'event_id'),
      'in',
      keys.map(({ destination, name, event_id }) => row.tuple(destination, name, event_id)),
    )

const userConversionsLock = (userId: RawBuilder<unknown>) =>
  sql`hashtextextended('conversions:' || ${userId}, 0)`

/**
 * Blocks withdrawals of these users' consent until the end of the transaction. Does not wait for a withdrawal that has
 * already begun.
 * @returns the users whose withdrawal is blocked
 */
export async function blockConsentWithdrawals(
  tx: Tx,
  userIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM unnest(${userIds}::text[]) AS given (id)
    WHERE pg_try_advisory_xact_lock_shared(${userConversionsLock(sql`id`)})`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/** Waits until no conversion of the user is being sent. Blocks new conversions until the end of the transaction. */
export async function lockConversionSending(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${userConversionsLock(sql`${userId}::text`)})`.execute(tx)
}

/** Deletes a user's conversions, or only those that are waiting to be sent. */
export async function deleteConversions(tx: Tx, userId: string, scope: 'all' | 'pending'): Promise<void> {
  await tx
    .deleteFrom('conversions')
    .where('user_id', '=', userId)
    .$if(scope === 'pending', (query) => query.where('state', '=', 'pending'))
    .execute()
}

export async function moveConversions(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('conversions').set({ user_id: to }).where('user_id', '=', from).execute()
}

/** Reads a user's conversions page by page, in the order of their keys. */
export function readConversions(db: Db, userId: string) {
  const conversions = db
    .selectFrom('conversions')
    .select(['destination', 'name', 'event_id', 'details', 'state', 'at'])
    .where('user_id', '=', userId)
  return readInOrder(
    conversions,
    ['destination', (row) => row.destination],
    ['name', (row) => row.name],
    ['event_id', (row) => row.event_id],
  )
}

export function deleteOldConversions(db: Db, before: Date, options: PurgeOptions): Promise<void> {
  const condition = sql`state <> 'pending'`
  return deleteExpired(db, { table: 'conversions', time: 'at', before, condition }, options)
}
