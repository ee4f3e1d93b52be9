import { sql } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import type { OrderStatus } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'
import { compareBalances, netPaidCents } from './compare-ledger-with-gateway.ts'

/** An order and its last status that a client received. */
export interface Sale {
  orderId: string
  gateway: GatewayId
  status: OrderStatus
}

/** Counts from the comparison of a gateway's payments with the site's records. */
export interface GatewayErrorCounts {
  gateway: GatewayId
  /** Number of successful first payments. `renewals`: number of successful renewals. */
  sales: number
  renewals: number
  /** Number of payments with a refund. */
  refunds: number
  /** Number of payments that bought nothing, plus orders that were reported as paid but are not. */
  lostPayments: number
  /** Number of orders with more than one payment that was not refunded. */
  paidTwice: number
  paidWithoutEntitlement: number
  entitledWithoutPayment: number
  /** Money at the gateway in cents: according to the site's ledger (`ledgerCents`) and to the gateway (`gatewayCents`). */
  ledgerCents: number
  gatewayCents: number
}

/**
 * Maximum time by which the entitlement of a renewing plan may outlast its period. After an outage, it counts from the
 * first renewal attempt.
 */
const longestGrace = '3 days'

interface OrderRow {
  id: string
  status: string
  period_no: number | null
  /** True while the entitlement is active. */
  entitled: boolean
}

/** Compares all payments of a gateway with the site's orders, entitlements and ledger. */
export async function countBillingErrors(
  db: Db,
  gateway: PaymentGateway,
  sales: readonly Sale[],
): Promise<GatewayErrorCounts> {
  const listed = await gateway.listPayments(new Date(0))
  const payments = listed.filter(({ status }) => status === 'succeeded')
  const orders = await selectOrders(db, gateway.id)
  /** Payments of each order that were not refunded: their sum and number. */
  const paidByOrder = new Map<string, { cents: number; payments: number }>()
  for (const payment of payments) {
    const { orderId } = payment
    const netCents = netPaidCents([payment])
    const before = paidByOrder.get(orderId) ?? { cents: 0, payments: 0 }
    paidByOrder.set(orderId, {
      cents: before.cents + netCents,
      payments: before.payments + (netCents > 0 ? 1 : 0),
    })
  }
  // A dispute may be for a part of the payment: for example, if the bank sends back a refund after the dispute has
  // opened.
  const disputed = new Set(payments.filter(isDisputeOpenOrLost).map(({ orderId }) => orderId))
  const isChargedBack = ({ id, status }: OrderRow) => status === 'charged_back' && disputed.has(id)
  const isPaid = ({ status }: OrderRow) => status === 'paid' || status === 'partially_refunded'
  const cents = (id: string) => paidByOrder.get(id)?.cents ?? 0
  const ordersById = new Map(orders.map((order) => [order.id, order]))
  const paid = orders.filter(isPaid)
  const reportedPaid = sales.filter((sale) => sale.gateway === gateway.id && sale.status === 'paid')
  const paymentsWithoutSale = [...paidByOrder].filter(([id, { cents: netCents }]) => {
    const order = ordersById.get(id)
    return netCents > 0 && !(order && (isPaid(order) || isChargedBack(order)))
  })
  const soldStatuses = new Set(['paid', 'partially_refunded', 'refunded', 'charged_back'])
  const wronglyReportedPaid = reportedPaid.filter(
    ({ orderId }) => !soldStatuses.has(ordersById.get(orderId)?.status ?? ''),
  )
  return {
    gateway: gateway.id,
    sales: orders.filter((order) => soldStatuses.has(order.status) && !order.period_no).length,
    renewals: orders.filter((order) => soldStatuses.has(order.status) && order.period_no).length,
    refunds: payments.filter(({ refundedCents }) => refundedCents > 0).length,
    lostPayments: paymentsWithoutSale.length + wronglyReportedPaid.length,
    paidTwice: [...paidByOrder.values()].filter(({ payments: number }) => number > 1).length,
    paidWithoutEntitlement: paid.filter(({ entitled }) => !entitled).length,
    entitledWithoutPayment: orders.filter(({ id, entitled }) => entitled && cents(id) <= 0).length,
    ...(await compareBalances(db, gateway.id, listed)),
  }
}

async function selectOrders(db: Db, gateway: GatewayId): Promise<OrderRow[]> {
  const { rows } = await sql<OrderRow>`
    SELECT orders.id, orders.status, orders.period_no, EXISTS (
      SELECT FROM entitlements WHERE order_id = orders.id AND revoked_at IS NULL AND CASE
        WHEN orders.kind = 'plan' THEN ends_at >= starts_at + period
          AND ends_at <= greatest(starts_at + period, next_tried_at) + ${longestGrace}::interval
        ELSE ends_at IS NULL END) AS entitled
    FROM orders LEFT JOIN (SELECT id, make_interval(days => period_days) AS period FROM plans) plans
      ON plans.id = orders.plan_id
    LEFT JOIN LATERAL (
      SELECT max(started_at) AS next_tried_at FROM orders next JOIN payment_attempts ON order_id = next.id
      WHERE next.subscription_id = orders.subscription_id AND next.period_no = orders.period_no + 1
    ) tries ON true
    WHERE orders.gateway = ${gateway}`.execute(db)
  return rows
}

/**
 * Counts unfinished work: open payments, refunds and webhook events. Also counts ledger transactions that do not add up
 * to zero.
 */
export async function countUnfinished(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`SELECT
    (SELECT count(*) FROM payment_attempts WHERE status IN ('started', 'requires_action', 'processing', 'unknown'))::int AS payments,
    (SELECT count(*) FROM refunds WHERE status = 'started')::int AS refunds,
    (SELECT count(*) FROM webhook_events WHERE applied_at IS NULL)::int AS notifications,
    (SELECT count(*) FROM (SELECT FROM ledger_lines GROUP BY transaction_id, currency
      HAVING sum(amount_cents) <> 0) AS uneven)::int AS uneven`.execute(db)
  return rows[0] ?? {}
}
