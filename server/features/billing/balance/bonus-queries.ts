import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/**
 * SQL condition: entries that debit lots for a purchase, or credit its refund. The negated sum of their lines is the
 * amount that a purchase took from a lot, less refunds.
 */
export const spendingKinds = sql`balance_entries.kind IN ('purchase', 'refund', 'bonus_set_off')`

/**
 * SQL expression: the refundable amount of a paid lot, which is its remaining money less the spent bonus of the top-up.
 */
export const refundableLotCents = (lots: RawBuilder<unknown>): RawBuilder<number> => sql<number>`
  greatest(0, ${lots}.remaining_cents - coalesce((SELECT -sum(cents) FROM balance_lots bonus
    JOIN balance_lines ON balance_lines.lot_id = bonus.id JOIN balance_entries ON balance_entries.id = entry_id
    WHERE bonus.order_id = ${lots}.order_id AND bonus.kind = 'bonus' AND ${spendingKinds}), 0))::int`

/** A purchase that was paid with bonus of a top-up, and the amount in cents. */
export interface BonusSpending {
  id: string
  kind: 'episode' | 'video'
  currency: string
  cents: number
}

/** Returns the purchases that were paid with bonus of a top-up, each with the amount of bonus, earliest first. */
export async function selectBonusSpending(tx: Tx, topUpId: string): Promise<BonusSpending[]> {
  const { rows } = await sql<BonusSpending>`
    SELECT orders.id, orders.kind, orders.currency, -sum(cents)::int AS cents FROM balance_lots
    JOIN balance_lines ON lot_id = balance_lots.id JOIN balance_entries ON balance_entries.id = entry_id
    JOIN orders ON orders.id = balance_entries.order_id
    WHERE balance_lots.order_id = ${topUpId} AND balance_lots.kind = 'bonus' AND ${spendingKinds}
    GROUP BY orders.id HAVING sum(cents) < 0 ORDER BY orders.paid_at, orders.id`.execute(tx)
  return rows
}

/**
 * Returns the purchases in which paid money of the top-up has replaced its bonus (set-off), each with the amount that
 * is still replaced.
 */
export async function selectBonusSetOffs(tx: Tx, topUpId: string): Promise<BonusSpending[]> {
  const { rows } = await sql<BonusSpending>`
    SELECT id, kind, currency, least(set_off, paid)::int AS cents FROM (
      SELECT orders.id, orders.kind, orders.currency,
        sum(cents) FILTER (WHERE balance_lots.kind = 'bonus' AND balance_entries.kind = 'bonus_set_off') AS set_off,
        -sum(cents) FILTER (WHERE balance_lots.kind = 'paid') AS paid
      FROM balance_lots JOIN balance_lines ON lot_id = balance_lots.id
      JOIN balance_entries ON balance_entries.id = entry_id JOIN orders ON orders.id = balance_entries.order_id
      WHERE balance_lots.order_id = ${topUpId} AND ${spendingKinds} GROUP BY orders.id
    ) AS spent WHERE set_off > 0 AND paid > 0 ORDER BY id`.execute(tx)
  return rows
}

/**
 * Reduces `discount_cents`, the part of a purchase that was paid with bonus. A negative amount increases
 * `discount_cents`.
 */
export async function reduceDiscount(tx: Tx, orderId: string, cents: number): Promise<void> {
  await sql`UPDATE orders SET discount_cents = discount_cents - ${cents}::int WHERE id = ${orderId}`.execute(
    tx,
  )
}

/** Returns the amount of a top-up that can be refunded without a loss. */
export async function selectRefundableCents(db: Db, topUpId: string): Promise<number> {
  const { rows } = await sql<{ cents: number }>`
    SELECT ${refundableLotCents(sql`balance_lots`)} AS cents FROM balance_lots
    WHERE order_id = ${topUpId} AND kind = 'paid'`.execute(db)
  return rows[0]?.cents ?? 0
}

/** Returns a user's top-ups with unspent paid money, oldest first, and the refundable amount of each. */
export async function selectUnspentTopUps(
  db: Db,
  userId: string,
): Promise<{ order_id: string; currency: string; remaining_cents: number; refundable_cents: number }[]> {
  const { rows } = await sql<{
    order_id: string
    currency: string
    remaining_cents: number
    refundable_cents: number
  }>`
    SELECT order_id, currency, remaining_cents, ${refundableLotCents(sql`balance_lots`)} AS refundable_cents FROM balance_lots
    WHERE user_id = ${userId} AND kind = 'paid' AND remaining_cents > 0 ORDER BY created_at, id`.execute(db)
  return rows
}
