import { sql } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { DayTotal } from '#contract/studio/orders.ts'
import type { Static } from 'typebox'
import type { Db } from '#server/tables.ts'

/** What moved at the gateways in a time, by the books: transactions of the same kind together. */
export async function selectDayTotals(db: Db, from: Date, to: Date): Promise<Static<typeof DayTotal>[]> {
  const { rows } = await sql<Static<typeof DayTotal>>`
    SELECT substr(account, 9) AS gateway, split_part(transaction_id, ':', 1) AS kind, currency,
      count(*)::int AS transactions, sum(amount_cents)::float8 AS amount_cents
    FROM ledger_lines WHERE at >= ${from} AND at < ${to} AND account LIKE 'gateway:%'
    GROUP BY 1, 2, 3 ORDER BY 1, 3, 2`.execute(db)
  return rows
}

export interface MismatchRow {
  kind: 'payment' | 'foreign_payment' | 'attempt' | 'refund' | 'notification'
  gateway: GatewayId
  reference: string | null
  order_id: string | null
  amount_cents: number | null
  currency: string | null
  since: Date
}

/** Of each kind so many at most, the oldest first. */
const most = sql.lit(100)

/**
 * What does not match, or has been open for long: payments that could not be brought into line, money for no order of ours,
 * tries whose end nobody knows, refunds on their way, notifications that were not applied.
 */
export async function selectMismatches(
  db: Db,
  { openBefore, foreignAfter }: { openBefore: Date; foreignAfter: Date },
): Promise<MismatchRow[]> {
  const { rows } = await sql<MismatchRow>`
    (SELECT 'payment' AS kind, listed.gateway, listed.reference, orders.id AS order_id, orders.amount_cents,
        orders.currency, listed.found_at AS since
      FROM payments_to_compare listed
      LEFT JOIN attempts ON attempts.gateway = listed.gateway AND attempts.reference = listed.reference
      LEFT JOIN orders ON orders.id = attempts.order_id
      ORDER BY listed.found_at LIMIT ${most})
    UNION ALL
    (SELECT 'foreign_payment', gateway, reference, NULL, amount_cents, currency, found_at
      FROM foreign_payments WHERE found_at > ${foreignAfter} ORDER BY found_at DESC LIMIT ${most})
    UNION ALL
    (SELECT 'attempt', attempts.gateway, attempts.reference, order_id, amount_cents, currency, started_at
      FROM attempts JOIN orders ON orders.id = attempts.order_id
      WHERE attempts.status IN ('started', 'processing', 'unknown') AND started_at < ${openBefore}
      ORDER BY started_at LIMIT ${most})
    UNION ALL
    (SELECT 'refund', attempts.gateway, attempts.reference, attempts.order_id, refunds.amount_cents, currency,
        refunds.created_at
      FROM refunds JOIN attempts ON attempts.id = refunds.attempt_id JOIN orders ON orders.id = attempts.order_id
      WHERE refunds.status = 'started' AND refunds.created_at < ${openBefore}
      ORDER BY refunds.created_at LIMIT ${most})
    UNION ALL
    (SELECT 'notification', gateway, reference, NULL, NULL, NULL, received_at
      FROM notifications WHERE applied_at IS NULL AND received_at < ${openBefore}
      ORDER BY received_at LIMIT ${most})`.execute(db)
  return rows
}

/** Notes money at a gateway that is for no order of ours; a second time changes nothing. */
export async function insertForeignPayment(
  db: Db,
  payment: {
    gateway: GatewayId
    reference: string
    amount_cents: number
    currency: string
    found_at: Date
  },
): Promise<void> {
  await db
    .insertInto('foreign_payments')
    .values(payment)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
