import { sql, type Insertable, type Selectable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import { spendingKinds } from './bonus-queries.ts'
import type { BalanceLotsTable } from './tables.ts'

export type LotRow = Selectable<BalanceLotsTable>

/** Returns a user's lots that have money left and have not expired. */
export function selectOpenLots(db: Db, userId: string, now: Date): Promise<LotRow[]> {
  return openLots(db, userId, now).execute()
}

/** Returns whether a user has ever topped up a balance. */
export async function hasEverToppedUp(db: Db, userId: string): Promise<boolean> {
  const lots = db.selectFrom('balance_lots').select('id').where('user_id', '=', userId).limit(1)
  return (await lots.executeTakeFirst()) !== undefined
}

/** Locks and returns a user's lots in one currency that have money left and have not expired. */
export function lockOpenLots(tx: Tx, userId: string, currency: string, now: Date): Promise<LotRow[]> {
  return openLots(tx, userId, now).where('currency', '=', currency).forUpdate().execute()
}

const openLots = (db: Db, userId: string, now: Date) =>
  db
    .selectFrom('balance_lots')
    .selectAll()
    .where('user_id', '=', userId)
    .where('remaining_cents', '>', 0)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))

/** Locks and returns the paid lot and the bonus lot of a top-up. Returns no lots if its payment was never credited. */
export function lockLotsOfTopUp(tx: Tx, orderId: string): Promise<LotRow[]> {
  return tx.selectFrom('balance_lots').selectAll().where('order_id', '=', orderId).forUpdate().execute()
}

/** Locks and returns all lots of a user that have money left, including expired ones. */
export function lockNonEmptyLots(tx: Tx, userId: string): Promise<LotRow[]> {
  return tx
    .selectFrom('balance_lots')
    .selectAll()
    .where('user_id', '=', userId)
    .where('remaining_cents', '>', 0)
    .orderBy('id')
    .forUpdate()
    .execute()
}

/** Locks a batch of expired bonus lots; concurrent processes get different ones. */
export function lockExpiredLots(tx: Tx, now: Date, limit: number): Promise<LotRow[]> {
  return (
    tx
      .selectFrom('balance_lots')
      .selectAll()
      .where('expires_at', '<=', now)
      // An SQL literal, so that it matches the condition of the partial index.
      .where('remaining_cents', '>', sql.lit(0))
      .orderBy('expires_at')
      .limit(limit)
      .forUpdate()
      .skipLocked()
      .execute()
  )
}

/** Creates a lot, unless the top-up already has a lot of this kind. @returns whether it was created */
export async function insertLot(tx: Tx, lot: Insertable<BalanceLotsTable>): Promise<boolean> {
  const insert = tx.insertInto('balance_lots').values(lot)
  const row = await insert
    .onConflict((conflict) => conflict.columns(['order_id', 'kind']).doNothing())
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Increases a top-up's loss, which is the amount reversed beyond the remaining money. A negative amount reduces the
 * loss.
 */
export async function addLoss(tx: Tx, lotId: string, cents: number): Promise<void> {
  await sql`UPDATE balance_lots SET lost_cents = lost_cents + ${cents}::int WHERE id = ${lotId}`.execute(tx)
}

/** Marks a bonus as withdrawn until refunds and disputes total less than the given amount; null removes the mark. */
export async function setBonusWithdrawn(
  tx: Tx,
  lotId: string,
  restore_below_cents: number | null,
): Promise<void> {
  await tx.updateTable('balance_lots').set({ restore_below_cents }).where('id', '=', lotId).execute()
}

/**
 * Locks and returns the lots that paid for a purchase, in the order in which a refund credits them: paid money before
 * bonus, latest lot first. `spent` is the amount that a lot paid, less refunds.
 */
export async function lockSpentLots(tx: Tx, orderId: string): Promise<(LotRow & { spent: number })[]> {
  const lots = await tx
    .selectFrom('balance_lots')
    .selectAll()
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('balance_lines')
        .innerJoin('balance_entries', 'balance_entries.id', 'entry_id')
        .select('lot_id')
        .where('balance_entries.order_id', '=', orderId)
        .where(sql<boolean>`${spendingKinds}`),
    )
    .forUpdate()
    .execute()
  const { rows } = await sql<{ lot_id: string; spent: number }>`
    SELECT lot_id, -sum(cents)::int AS spent FROM balance_lines JOIN balance_entries ON balance_entries.id = entry_id
    WHERE balance_entries.order_id = ${orderId} AND ${spendingKinds}
    GROUP BY lot_id HAVING sum(cents) < 0`.execute(tx)
  const spent = new Map(rows.map((row) => [row.lot_id, row.spent]))
  return lots
    .map((lot) => ({ ...lot, spent: spent.get(lot.id) ?? 0 }))
    .filter((lot) => lot.spent > 0)
    .toSorted((a, b) => Number(a.kind === 'bonus') - Number(b.kind === 'bonus') || compareNewestFirst(a, b))
}

const compareNewestFirst = (a: LotRow, b: LotRow) =>
  b.created_at.getTime() - a.created_at.getTime() || (a.id < b.id ? 1 : -1)

/** Returns the ids of purchases that were paid with a top-up's money or bonus and not fully refunded, latest first. */
export async function selectPurchasesPaidByTopUp(tx: Tx, topUpId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    SELECT orders.id FROM orders WHERE orders.status IN ('paid', 'partially_refunded') AND orders.id IN (
      SELECT balance_entries.order_id FROM balance_lots JOIN balance_lines ON lot_id = balance_lots.id
      JOIN balance_entries ON balance_entries.id = entry_id
      WHERE balance_lots.order_id = ${topUpId} AND ${spendingKinds}
      GROUP BY balance_entries.order_id HAVING sum(cents) < 0)
    ORDER BY paid_at DESC, id`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Returns the e-mail address of a user's latest top-up. */
export async function selectTopUpEmail(db: Db, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('balance_lots')
    .innerJoin('orders', 'orders.id', 'order_id')
    .select('email')
    .where('balance_lots.user_id', '=', userId)
    .orderBy('balance_lots.created_at', 'desc')
    .orderBy('balance_lots.id')
    .limit(1)
    .executeTakeFirst()
  return row?.email
}

/** Moves the balance of one user to another, with its history. Deletes the auto-unlock settings of the user `from`. */
export async function moveBalance(tx: Tx, from: string, to: string): Promise<void> {
  for (const table of ['balance_lots', 'balance_entries'] as const)
    await tx.updateTable(table).set({ user_id: to }).where('user_id', '=', from).execute()
  await deleteAutoUnlocks(tx, from)
}

/** Turns off auto-unlock of all dramas for a user. */
export async function deleteAutoUnlocks(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('auto_unlocks').where('user_id', '=', userId).execute()
}
