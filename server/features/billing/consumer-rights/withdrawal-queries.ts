import { sql } from 'kysely'
import type { Tx } from '#server/tables.ts'
import { refundableLotCents } from '#server/features/billing/balance/bonus-queries.ts'
import {
  takeDueForPolling,
  type DueQuery,
  type Poll,
} from '#server/features/billing/records/polling-queries.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

const paidStatusLiterals = (['paid', 'partially_refunded'] as const).map((status) => sql.lit(status))

/** SQL condition: the order itself, or all orders of its subscription. */
const isOfContract = ({ id, subscription_id }: OrderRow) =>
  subscription_id === null
    ? sql<boolean>`orders.id = ${id}`
    : sql<boolean>`orders.subscription_id = ${subscription_id}`

/** Returns the paid orders of a contract, oldest first. */
export function selectContractOrders(tx: Tx, order: OrderRow): Promise<OrderRow[]> {
  const orders = tx.selectFrom('orders').selectAll().where('paid_at', 'is not', null)
  return orders.where(isOfContract(order)).orderBy('paid_at').orderBy('id').execute()
}

/**
 * Returns the total that a withdrawal from these orders refunds: the paid amounts, less other refunds and disputed
 * amounts. For a top-up, this is the unspent money less the spent bonus. The total includes amounts that the withdrawal
 * has already refunded, so it is the same before and after the refund.
 */
export async function selectWithdrawalRefundCents(tx: Tx, orderIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ cents: number }>`
    SELECT coalesce(sum(CASE WHEN kind = 'top_up' THEN unspent.cents ELSE amount_cents - gone.cents END), 0)::float8 AS cents FROM orders
    CROSS JOIN LATERAL (SELECT least(orders.amount_cents, coalesce(sum(payment_attempts.dispute_debited_cents + (
        SELECT coalesce(sum(refunds.amount_cents), 0) FROM refunds
        WHERE refunds.attempt_id = payment_attempts.id AND refunds.status <> 'failed'
          AND refunds.reason <> 'withdrawal' AND refunds.origin <> 'unwanted_payment')), 0)) AS cents
      FROM payment_attempts WHERE payment_attempts.order_id = orders.id) AS gone
    CROSS JOIN LATERAL (SELECT coalesce((SELECT ${refundableLotCents(sql`balance_lots`)} FROM balance_lots WHERE balance_lots.order_id = orders.id
        AND balance_lots.kind = 'paid'), 0) + coalesce((SELECT sum(refunds.amount_cents) FROM refunds
        JOIN payment_attempts ON payment_attempts.id = refunds.attempt_id WHERE payment_attempts.order_id = orders.id
        AND refunds.status <> 'failed' AND refunds.reason = 'withdrawal'), 0) AS cents) AS unspent
    WHERE orders.id = ANY(${orderIds})`.execute(tx)
  return rows[0]?.cents ?? 0
}

/** Marks all orders of a contract as withdrawn, including unpaid orders, whose payment may still arrive. */
export async function markWithdrawn(tx: Tx, order: OrderRow, now: Date): Promise<void> {
  const change = { withdrawn_at: now, next_withdrawal_refund_at: nextPoll(0, now) }
  const orders = tx.updateTable('orders').set(change).where(isOfContract(order))
  await orders.where('withdrawn_at', 'is', null).execute()
}

/** Takes withdrawn orders that are not fully refunded and whose next retry is due. */
export function takeDueWithdrawals(tx: Tx, due: DueQuery) {
  const openWithdrawals = tx
    .selectFrom('orders')
    .select(['id', 'withdrawal_refund_attempts as poll_count'])
    .where('status', 'in', paidStatusLiterals)
  const updatePoll = ({ id }: { id: string }, { poll_count, next_poll_at }: Poll) =>
    tx
      .updateTable('orders')
      .set({ withdrawal_refund_attempts: poll_count, next_withdrawal_refund_at: next_poll_at })
      .where('id', '=', id)
  return takeDueForPolling(openWithdrawals, due, updatePoll, 'next_withdrawal_refund_at')
}
