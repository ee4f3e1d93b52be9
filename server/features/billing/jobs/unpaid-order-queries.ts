import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

/**
 * Deletes a batch of orders that ended before `endedBefore` without a payment, and their attempts. Skips renewal
 * orders, and orders with a successful or open attempt, ledger lines, entitlements, refunds or a used introductory
 * price.
 * @returns the number of deleted orders
 */
export async function deleteUnpaidOrders(db: Db, endedBefore: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ deleted: number }>`
    WITH due AS (
      SELECT id, subscription_id FROM orders
      WHERE status IN ('expired', 'cancelled', 'failed') AND paid_at IS NULL AND expires_at < ${endedBefore}
        AND coalesce(period_no, 0) = 0
        AND NOT EXISTS (
          SELECT FROM payment_attempts WHERE order_id = orders.id AND status NOT IN ('failed', 'cancelled'))
        AND NOT EXISTS (
          SELECT FROM refunds JOIN payment_attempts ON payment_attempts.id = refunds.attempt_id WHERE payment_attempts.order_id = orders.id)
        AND NOT EXISTS (SELECT FROM ledger_lines WHERE order_id = orders.id)
        AND NOT EXISTS (SELECT FROM entitlements WHERE order_id = orders.id)
        AND NOT EXISTS (SELECT FROM used_intro_prices WHERE order_id = orders.id)
      ORDER BY expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), tried AS (
      DELETE FROM payment_attempts USING due WHERE payment_attempts.order_id = due.id
    ), gone AS (
      DELETE FROM orders USING due WHERE orders.id = due.id RETURNING orders.id
    )
    SELECT count(*)::int AS deleted FROM gone`.execute(db)
  return rows[0]?.deleted ?? 0
}

/**
 * Deletes a batch of subscriptions that were created before `createdBefore`, never started, and have neither an order
 * nor a method setup.
 * @returns the number of deleted subscriptions
 */
export async function deleteUnstartedSubscriptions(
  db: Db,
  createdBefore: Date,
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM subscriptions WHERE id IN (
      SELECT id FROM subscriptions WHERE status = 'expired' AND started_at IS NULL AND created_at < ${createdBefore}
        AND NOT EXISTS (SELECT FROM orders WHERE subscription_id = subscriptions.id)
        AND NOT EXISTS (SELECT FROM payment_method_setups WHERE subscription_id = subscriptions.id)
      ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )`.execute(db)
  return Number(numAffectedRows ?? 0)
}
