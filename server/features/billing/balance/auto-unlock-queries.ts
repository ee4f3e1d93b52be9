import { sql, type Insertable, type Selectable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import { autoUnlockWindowMs, undoableSince, undoReason } from './auto-unlock-windows.ts'
import type { AutoUnlocksTable } from './tables.ts'

export type AutoUnlockRow = Selectable<AutoUnlocksTable>

const autoUnlocksOf = (db: Db, userId: string) =>
  db.selectFrom('auto_unlocks').selectAll().where('user_id', '=', userId)

/** Returns a user's auto-unlock settings, one per drama, oldest first. */
export function selectAutoUnlocks(db: Db, userId: string): Promise<AutoUnlockRow[]> {
  return autoUnlocksOf(db, userId).orderBy('created_at').orderBy('video_id').execute()
}

export function selectAutoUnlock(
  db: Db,
  userId: string,
  videoId: string,
): Promise<AutoUnlockRow | undefined> {
  return autoUnlocksOf(db, userId).where('video_id', '=', videoId).executeTakeFirst()
}

/** Stores a user's consent to auto-unlock of a drama. Replaces an earlier consent. */
export async function upsertAutoUnlock(tx: Tx, row: Insertable<AutoUnlocksTable>): Promise<void> {
  const { daily_limit, max_price_cents, currency, terms_hash, created_at } = row
  const terms = { daily_limit, max_price_cents, currency, terms_hash, created_at }
  await tx
    .insertInto('auto_unlocks')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'video_id']).doUpdateSet(terms))
    .execute()
}

/** Turns auto-unlock of a drama off. @returns whether it was on */
export async function deleteAutoUnlock(tx: Tx, userId: string, videoId: string): Promise<boolean> {
  const deletion = tx.deleteFrom('auto_unlocks').where('user_id', '=', userId).where('video_id', '=', videoId)
  return (await deletion.executeTakeFirstOrThrow()).numDeletedRows === 1n
}

/**
 * Counts a user's automatic orders since a time, by drama. Undone orders count too, so that an undo does not permit
 * another unlock.
 */
export async function countAutomaticOrders(
  db: Db,
  userId: string,
  since: Date,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ video_id: string; count: number }>`
    SELECT video_id, count(*)::int AS count FROM orders
    WHERE user_id = ${userId} AND auto_unlock AND created_at > ${since} AND paid_at IS NOT NULL
    GROUP BY video_id`.execute(db)
  return new Map(rows.map(({ video_id, count }) => [video_id, count]))
}

/** Returns the dramas in which a user has undone an automatic unlock within the last 24 hours. */
export async function selectUndoneVideoIds(db: Db, userId: string, now: Date): Promise<ReadonlySet<string>> {
  const since = new Date(now.getTime() - autoUnlockWindowMs)
  const { rows } = await sql<{ video_id: string }>`
    SELECT DISTINCT orders.video_id FROM orders
    JOIN payment_attempts ON payment_attempts.order_id = orders.id JOIN refunds ON refunds.attempt_id = payment_attempts.id
    WHERE orders.user_id = ${userId} AND orders.auto_unlock AND orders.created_at > ${undoableSince(since)}
      AND refunds.reason = ${undoReason} AND refunds.created_at > ${since}`.execute(db)
  return new Set(rows.map(({ video_id }) => video_id))
}

/** Marks an order as made by auto-unlock, with the consent that the user gave when turning it on. */
export async function markOrderAutomatic(
  tx: Tx,
  orderId: string,
  { terms_hash, created_at }: AutoUnlockRow,
): Promise<void> {
  // Turning auto-unlock on requires the consent to immediate delivery.
  const consent = { terms_hash, immediate_delivery: true, at: created_at.toISOString() }
  const change = { auto_unlock: true, consent: JSON.stringify(consent) }
  await tx.updateTable('orders').set(change).where('id', '=', orderId).execute()
}
