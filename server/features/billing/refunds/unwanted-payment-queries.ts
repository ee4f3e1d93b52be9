import { sql } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db } from '#server/tables.ts'

/** A payment that bought nothing and is not fully refunded. */
export interface UnwantedPaymentRow {
  attempt_id: string
  order_id: string
  gateway: GatewayId
  reference: string | null
  currency: string
  /** The amount that must still be refunded. */
  cents: number
  /** The number of failed refunds, the start of the latest failed refund, and the reason for the refund. */
  failed: number
  failed_at: Date | null
  reason: string | null
  since: Date
}

/**
 * Subquery: payments that bought nothing according to the ledger, and whose refunds do not equal the payment. `cents`
 * is the amount to refund, negative if too much was refunded. Excludes payments with a refund in progress, and amounts
 * taken by a dispute. Both rows have the same order; with this condition, an index finds the lines of one order.
 */
export const unwantedPayments = sql`(
  SELECT payment_attempts.id AS attempt_id, payment_attempts.order_id, payment_attempts.gateway, payment_attempts.reference, orders.currency,
    -charged.amount_cents - sent.cents - payment_attempts.dispute_debited_cents AS cents, sent.failed, sent.failed_at, sent.reason, charged.at AS since
  FROM ledger_lines charged
  JOIN payment_attempts ON payment_attempts.id = substr(charged.transaction_id, 8) AND payment_attempts.order_id = charged.order_id
  JOIN orders ON orders.id = payment_attempts.order_id
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(amount_cents) FILTER (WHERE status = 'succeeded'), 0)::int AS cents,
      count(*) FILTER (WHERE status = 'failed')::int AS failed, max(created_at) FILTER (WHERE status = 'failed') AS failed_at,
      max(reason) FILTER (WHERE status = 'failed') AS reason, coalesce(bool_or(status = 'started'), false) AS sending
    FROM refunds WHERE refunds.attempt_id = payment_attempts.id) AS sent
  WHERE charged.account = 'refunds_payable' AND charged.amount_cents < 0 AND charged.transaction_id LIKE 'charge:%'
    AND NOT sent.sending AND -charged.amount_cents - sent.cents - payment_attempts.dispute_debited_cents <> 0)`

/** Returns all payments that bought nothing and are not fully refunded, oldest first. */
export async function selectUnwantedPayments(db: Db): Promise<UnwantedPaymentRow[]> {
  const { rows } = await sql<UnwantedPaymentRow>`
    SELECT * FROM ${unwantedPayments} AS open_refunds WHERE cents > 0 ORDER BY since, attempt_id`.execute(db)
  return rows
}

/** Returns an order's payments that bought nothing and are not fully refunded, oldest first. */
export async function selectUnwantedPaymentsOfOrder(db: Db, orderId: string): Promise<UnwantedPaymentRow[]> {
  const { rows } = await sql<UnwantedPaymentRow>`
    SELECT * FROM ${unwantedPayments} AS open_refunds WHERE cents > 0 AND order_id = ${orderId}
    ORDER BY since, attempt_id`.execute(db)
  return rows
}
