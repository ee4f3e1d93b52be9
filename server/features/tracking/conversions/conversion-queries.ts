import { sql, type Insertable, type Selectable } from 'kysely'
import { readInOrder } from '#server/platform/database/read-pages.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { ConversionsTable } from '#server/features/tracking/tables.ts'

export type ConversionRow = Selectable<ConversionsTable>
type Key = Pick<ConversionRow, 'destination' | 'name' | 'event_id'>

/** Queues what is to be told; what was queued before stays as it is. */
export async function insertConversions(tx: Tx, rows: Insertable<ConversionsTable>[]): Promise<void> {
  await tx
    .insertInto('conversions')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Holds while a conversion's time has come. */
export const anyDueConversions = "EXISTS (SELECT FROM conversions WHERE state = 'waiting' AND try_at <= $1)"

/**
 * Takes the one that has waited longest, and sets when it is tried next, so that nobody else tries it at the same time.
 * `tries` is the number of this try.
 */
export async function takeDueConversion(
  tx: Tx,
  now: Date,
  next: (tries: number) => Date,
): Promise<ConversionRow | undefined> {
  const due = await tx
    .selectFrom('conversions')
    .selectAll()
    .where('state', '=', sql.lit('waiting'))
    .where('try_at', '<=', now)
    .orderBy('try_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (!due) return undefined
  const tries = due.tries + 1
  await keyed(tx, due)
    .set({ tries, try_at: next(tries) })
    .execute()
  return { ...due, tries }
}

/** Ends a conversion. Of the person nothing stays but the id, so that it is not queued again. */
export async function finishConversion(db: Db, key: Key, state: 'sent' | 'abandoned'): Promise<void> {
  await keyed(db, key).set({ state, details: '{}' }).where('state', '=', 'waiting').execute()
}

function keyed(db: Db, { destination, name, event_id }: Key) {
  return db
    .updateTable('conversions')
    .where('destination', '=', destination)
    .where('name', '=', name)
    .where('event_id', '=', event_id)
}

const personLock = (userId: string) => sql`hashtextextended(${`conversions:${userId}`}, 0)`

/** Holds off a withdrawal of a person's consent until the transaction is over. */
export async function holdConsent(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock_shared(${personLock(userId)})`.execute(tx)
}

/** Waits until nobody tells a platform about a person any more; nobody begins to before the transaction is over. */
export async function waitForTelling(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(${personLock(userId)})`.execute(tx)
}

/** Deletes a person's, told or not; `waiting` alone where only what is not yet told is meant. */
export async function deleteConversions(tx: Tx, userId: string, which: 'all' | 'waiting'): Promise<void> {
  await tx
    .deleteFrom('conversions')
    .where('user_id', '=', userId)
    .$if(which === 'waiting', (query) => query.where('state', '=', 'waiting'))
    .execute()
}

export async function moveConversions(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('conversions').set({ user_id: to }).where('user_id', '=', from).execute()
}

/** A page of a person's conversions, in the order of their keys, from the one after `after`. */
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
  await db.deleteFrom('conversions').where('at', '<', before).where('state', '<>', 'waiting').execute()
}
