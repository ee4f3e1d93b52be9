import { sql, type Insertable, type Selectable } from 'kysely'
import { readInOrder } from '#server/platform/database/read-pages.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { ConversionsTable } from '#server/features/tracking/tables.ts'

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
 * Claims the conversion that has been due longest, and schedules its next attempt, so that no other process sends it at
 * the same time.
 * @returns the conversion; `attempts` is the number of the current attempt
 */
export async function claimDueConversion(
  tx: Tx,
  now: Date,
  nextAttemptAt: (attempts: number) => Date,
): Promise<ConversionRow | undefined> {
  const due = await tx
    .selectFrom('conversions')
    .selectAll()
    .where('state', '=', sql.lit('pending'))
    .where('next_attempt_at', '<=', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!due) return undefined
  const attempts = due.attempts + 1
  await updateByKey(tx, due)
    .set({ attempts, next_attempt_at: nextAttemptAt(attempts) })
    .execute()
  return { ...due, attempts }
}

/**
 * Sets the final state of a conversion and deletes its details. The row remains, so that the conversion is not queued
 * again.
 */
export async function finishConversion(
  db: Db,
  key: ConversionKey,
  state: 'sent' | 'abandoned',
): Promise<void> {
  await updateByKey(db, key).set({ state, details: '{}' }).where('state', '=', 'pending').execute()
}

function updateByKey(db: Db, { destination, name, event_id }: ConversionKey) {
  return db
    .updateTable('conversions')
    .where('destination', '=', destination)
    .where('name', '=', name)
    .where('event_id', '=', event_id)
}

const userConversionsLock = (userId: string) => sql`hashtextextended(${`conversions:${userId}`}, 0)`

/** Blocks a withdrawal of the user's consent until the end of the transaction. */
export async function blockConsentWithdrawal(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${userConversionsLock(userId)})`.execute(tx)
}

/** Waits until no conversion of the user is being sent. Blocks new conversions until the end of the transaction. */
export async function lockConversionSending(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${userConversionsLock(userId)})`.execute(tx)
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

export async function deleteOldConversions(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('conversions').where('at', '<', before).where('state', '<>', 'pending').execute()
}
