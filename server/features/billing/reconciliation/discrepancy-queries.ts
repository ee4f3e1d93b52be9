import { sql } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { DayTotal, discrepancyKinds } from '#contract/studio/orders.ts'
import type { Static } from 'typebox'
import type { Db } from '#server/tables.ts'
import { unlistedPrefix, unreadDisputesReference } from '#server/features/billing/gateways/gateway.ts'
import { maxRefundTries } from '#server/features/billing/refunds/retry-unwanted-payment-refunds.ts'
import { unwantedPayments } from '#server/features/billing/refunds/unwanted-payment-queries.ts'

/** A sum of ledger lines, and the time of the latest of these lines. */
export type DayTotalRow = Static<typeof DayTotal> & { last_entered_at: Date }

/** Returns the sums of our ledger lines in a time span, by gateway, kind of transaction and currency. */
export async function selectDayTotals(db: Db, from: Date, to: Date): Promise<DayTotalRow[]> {
  const { rows } = await sql<DayTotalRow>`
    SELECT substr(account, 9) AS gateway, split_part(transaction_id, ':', 1) AS kind, currency,
      count(*)::int AS transactions, sum(amount_cents)::float8 AS amount_cents, max(at) AS last_entered_at
    FROM ledger_lines WHERE at >= ${from} AND at < ${to} AND account LIKE 'gateway:%'
    GROUP BY 1, 2, 3 ORDER BY 1, 3, 2`.execute(db)
  return rows
}

export interface DiscrepancyRow {
  kind: (typeof discrepancyKinds)[number]
  gateway: GatewayId
  reference: string | null
  order_id: string | null
  amount_cents: number | null
  /** The amount in our ledger, and the amount that the gateway reports; null if unknown. */
  ledger_cents: number | null
  gateway_cents: number | null
  currency: string | null
  since: Date
  abandoned: boolean
}

/** SQL for `FROM`: the payments with unresolved discrepancies, with the net amount of each in our ledger (`booked`). */
const openDiscrepancies = sql`
  payment_discrepancies listed
  LEFT JOIN payment_attempts ON payment_attempts.id = coalesce(listed.attempt_id, (SELECT known.id FROM payment_attempts known
    WHERE known.gateway = listed.gateway AND known.reference = listed.reference LIMIT 1))
  LEFT JOIN orders ON orders.id = payment_attempts.order_id
  CROSS JOIN LATERAL (SELECT coalesce(sum(amount_cents), 0)::int AS cents FROM ledger_lines
    WHERE order_id = payment_attempts.order_id AND account = 'gateway:' || listed.gateway AND ledger_lines.currency = coalesce(listed.currency, orders.currency)
      AND (transaction_id = 'charge:' || payment_attempts.id OR transaction_id LIKE 'dispute:' || payment_attempts.id || ':%'
        OR transaction_id IN (SELECT kind || refunds.id FROM refunds, unnest(ARRAY['refund:', 'refund_failed:']) AS kind
          WHERE refunds.attempt_id = payment_attempts.id))) AS booked`

/**
 * Returns the difference between the gateways' amounts and our ledger, by gateway and currency. Includes the
 * discrepancies and unmatched payments that were found in a time span.
 */
export async function selectDifferences(
  db: Db,
  from: Date,
  to: Date,
): Promise<{ gateway: GatewayId; currency: string; cents: number }[]> {
  const { rows } = await sql<{ gateway: GatewayId; currency: string; cents: number }>`
    SELECT gateway, currency, sum(cents)::float8 AS cents FROM (
      SELECT gateway, currency, amount_cents AS cents FROM unmatched_payments WHERE detected_at >= ${from} AND detected_at < ${to}
      UNION ALL
      SELECT listed.gateway, listed.currency, listed.gateway_cents - booked.cents FROM ${openDiscrepancies}
      WHERE listed.gateway_cents IS NOT NULL AND detected_at >= ${from} AND detected_at < ${to}) AS differences
    GROUP BY 1, 2`.execute(db)
  return rows
}

/** Maximum number of rows per kind: the newest unmatched payments, and the oldest rows of every other kind. */
const maxPerKind = sql.lit(100)

/**
 * Selects discrepancies, and items that have been open for long:
 * - payments that could not be settled
 * - payments without an order of this site
 * - attempts with an unknown outcome
 * - pending refunds
 * - payments that bought nothing and are not refunded
 * - webhook events that were not applied
 */
export async function selectDiscrepancies(
  db: Db,
  { openBefore, unmatchedAfter }: { openBefore: Date; unmatchedAfter: Date },
): Promise<DiscrepancyRow[]> {
  const { rows } = await sql<DiscrepancyRow>`
    (SELECT CASE WHEN listed.reference = ${unreadDisputesReference} THEN 'disputes' WHEN starts_with(listed.reference, ${unlistedPrefix}) THEN 'unlisted'
        ELSE 'payment' END AS kind, listed.gateway, listed.reference, orders.id AS order_id, orders.amount_cents,
        booked.cents AS ledger_cents, listed.gateway_cents, coalesce(listed.currency, orders.currency) AS currency,
        listed.detected_at AS since, listed.abandoned
      FROM ${openDiscrepancies}
      ORDER BY listed.detected_at LIMIT ${maxPerKind})
    UNION ALL
    (SELECT 'unmatched_payment', gateway, reference, NULL, amount_cents, 0, amount_cents, currency, detected_at, true
      FROM unmatched_payments WHERE detected_at > ${unmatchedAfter} ORDER BY detected_at DESC LIMIT ${maxPerKind})
    UNION ALL
    (SELECT 'attempt', payment_attempts.gateway, payment_attempts.reference, order_id, amount_cents, NULL, NULL, currency, started_at, false
      FROM payment_attempts JOIN orders ON orders.id = payment_attempts.order_id
      WHERE payment_attempts.status IN ('started', 'processing', 'unknown') AND started_at < ${openBefore}
      ORDER BY started_at LIMIT ${maxPerKind})
    UNION ALL
    (SELECT 'refund', payment_attempts.gateway, payment_attempts.reference, payment_attempts.order_id, refunds.amount_cents, NULL, NULL, currency,
        refunds.created_at, false
      FROM refunds JOIN payment_attempts ON payment_attempts.id = refunds.attempt_id JOIN orders ON orders.id = payment_attempts.order_id
      WHERE refunds.status = 'started' AND refunds.created_at < ${openBefore}
      ORDER BY refunds.created_at LIMIT ${maxPerKind})
    UNION ALL
    (SELECT 'unwanted_payment', gateway, reference, order_id, abs(cents), NULL, NULL, currency, since, failed >= ${maxRefundTries}
      FROM ${unwantedPayments} AS open_refunds WHERE since < ${openBefore}
      ORDER BY since LIMIT ${maxPerKind})
    UNION ALL
    (SELECT 'webhook_event', gateway, reference, NULL, NULL, NULL, NULL, NULL, received_at, false
      FROM webhook_events WHERE applied_at IS NULL AND received_at < ${openBefore}
      ORDER BY received_at LIMIT ${maxPerKind})`.execute(db)
  return rows
}

/** Stores a payment at a gateway that has no order of this site. Idempotent. */
export async function insertUnmatchedPayment(
  db: Db,
  payment: {
    gateway: GatewayId
    reference: string
    amount_cents: number
    currency: string
    detected_at: Date
  },
): Promise<void> {
  await db
    .insertInto('unmatched_payments')
    .values(payment)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
