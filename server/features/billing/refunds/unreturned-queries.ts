import { sql } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db } from '#server/tables.ts'

/** A payment that bought nothing, and of which something has not gone back. */
export interface UnreturnedRow {
  attempt_id: string
  order_id: string
  gateway: GatewayId
  reference: string | null
  currency: string
  /** What is left to go back. */
  cents: number
  /** How many returns were refused or came back, when the last of them was noted, and why it was to be. */
  failed: number
  failed_at: Date | null
  reason: string | null
  since: Date
}

/** Payments that bought nothing, by the ledger, without those whose return is on its way or whose money a dispute took. */
export const unreturnedPayments = sql`(
  SELECT attempts.id AS attempt_id, attempts.order_id, attempts.gateway, attempts.reference, orders.currency,
    -charged.amount_cents - sent.cents - attempts.disputed_cents AS cents, sent.failed, sent.failed_at, sent.reason, charged.at AS since
  FROM ledger_lines charged
  JOIN attempts ON attempts.id = substr(charged.transaction_id, 8)
  JOIN orders ON orders.id = attempts.order_id
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(amount_cents) FILTER (WHERE status = 'succeeded'), 0)::int AS cents,
      count(*) FILTER (WHERE status = 'failed')::int AS failed, max(created_at) FILTER (WHERE status = 'failed') AS failed_at,
      max(reason) FILTER (WHERE status = 'failed') AS reason, coalesce(bool_or(status = 'started'), false) AS sending
    FROM refunds WHERE refunds.attempt_id = attempts.id) AS sent
  WHERE charged.account = 'to_return' AND charged.amount_cents < 0 AND charged.transaction_id LIKE 'charge:%'
    AND NOT sent.sending AND -charged.amount_cents - sent.cents - attempts.disputed_cents <> 0)`

/** The oldest first. */
export async function selectUnreturned(db: Db): Promise<UnreturnedRow[]> {
  const { rows } = await sql<UnreturnedRow>`
    SELECT * FROM ${unreturnedPayments} AS unreturned WHERE cents > 0 ORDER BY since, attempt_id`.execute(db)
  return rows
}

/** Of one order, the oldest first. */
export async function selectUnreturnedOf(db: Db, orderId: string): Promise<UnreturnedRow[]> {
  const { rows } = await sql<UnreturnedRow>`
    SELECT * FROM ${unreturnedPayments} AS unreturned WHERE cents > 0 AND order_id = ${orderId}
    ORDER BY since, attempt_id`.execute(db)
  return rows
}
