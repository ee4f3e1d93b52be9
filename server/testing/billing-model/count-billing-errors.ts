import { sql } from 'kysely'
import type { OrderGatewayId } from '#contract/billing.ts'
import type { Payment, PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import type { OrderStatus } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'
import { compareBalances, netPaidCents, type PaymentMoney } from './compare-ledger-with-gateway.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

/** An order, and the last status of this order that a client received. */
export interface Sale {
  orderId: string
  gateway: OrderGatewayId
  status: OrderStatus
}

/** The results of comparing a gateway's payments, or the balances, with the site's records. */
export interface GatewayErrorCounts {
  gateway: OrderGatewayId
  /** Number of orders that were paid, without renewals. */
  sales: number
  /** Number of renewals that were paid. */
  renewals: number
  /** Number of payments with a refund. */
  refunds: number
  /** Number of payments that bought nothing, plus orders that were reported as paid but are not. */
  lostPayments: number
  /** Number of orders with more than one payment that was not refunded. */
  paidTwice: number
  paidWithoutEntitlement: number
  entitledWithoutPayment: number
  /**
   * Money at the gateway in cents: according to the site's ledger (`ledgerCents`) and to the gateway (`gatewayCents`).
   * For balances, these are the deferred revenue and the unspent paid money.
   */
  ledgerCents: number
  gatewayCents: number
}

/**
 * Maximum time by which the entitlement of a renewing plan may outlast its period. If the renewal was attempted after
 * the period, as after an outage, the time counts from the last attempt.
 */
const longestGrace = '3 days'

interface OrderRow {
  id: string
  status: string
  period_no: number | null
  /** True while the entitlement is active; for a top-up, while the balance keeps a part of its money. */
  entitled: boolean
}

/** Compares all payments of a gateway with the site's orders, entitlements and ledger. */
export async function countBillingErrors(
  db: Db,
  gateway: PaymentGateway,
  sales: readonly Sale[],
): Promise<GatewayErrorCounts> {
  const listed = await listAllPayments(gateway)
  const payments = listed.filter(({ status }) => status === 'succeeded')
  return {
    ...(await countErrors(db, gateway.id, payments, sales)),
    ...(await compareBalances(db, gateway.id, listed)),
  }
}

/** Compares payments from balances with the site's orders, entitlements and ledger. */
export async function countBalanceErrors(db: Db, sales: readonly Sale[]): Promise<GatewayErrorCounts> {
  const { rows: payments } = await sql<OrderPayment>`
    SELECT order_id AS "orderId", 'succeeded' AS status, -sum(paid_cents + bonus_cents) FILTER (WHERE kind = 'purchase')::int AS "amountCents",
      coalesce(sum(paid_cents + bonus_cents) FILTER (WHERE kind = 'refund'), 0)::int AS "refundedCents"
    FROM balance_entries WHERE kind IN ('purchase', 'refund') GROUP BY order_id`.execute(db)
  const { rows } = await sql<Pick<GatewayErrorCounts, 'ledgerCents' | 'gatewayCents'>>`SELECT
    (SELECT coalesce(-sum(amount_cents), 0)::int FROM ledger_lines WHERE account = 'deferred_revenue') AS "ledgerCents",
    (SELECT coalesce(sum(remaining_cents), 0)::int FROM balance_lots WHERE kind = 'paid') AS "gatewayCents"`.execute(
    db,
  )
  const counts = await countErrors(db, 'balance', payments, sales)
  return { ...counts, ...(rows[0] ?? { ledgerCents: NaN, gatewayCents: NaN }) }
}

type OrderPayment = Pick<Payment, 'orderId'> & PaymentMoney

async function countErrors(
  db: Db,
  gateway: OrderGatewayId,
  payments: readonly OrderPayment[],
  sales: readonly Sale[],
): Promise<Omit<GatewayErrorCounts, 'ledgerCents' | 'gatewayCents'>> {
  const orders = await selectOrders(db, gateway)
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
  // A disputed payment may still have money at the gateway, because a dispute may be for a part of it. For example, one
  // half of a payment was refunded, and the other half is disputed. If the refund then fails, its money is still at the
  // gateway.
  const disputed = new Set(payments.filter(isDisputeOpenOrLost).map(({ orderId }) => orderId))
  const isChargedBack = ({ id, status }: OrderRow) => status === 'charged_back' && disputed.has(id)
  const isPaid = ({ status }: OrderRow) => status === 'paid' || status === 'partially_refunded'
  const cents = (id: string) => paidByOrder.get(id)?.cents ?? 0
  const ordersById = new Map(orders.map((order) => [order.id, order]))
  const paid = orders.filter(isPaid)
  const reportedPaid = sales.filter((sale) => sale.gateway === gateway && sale.status === 'paid')
  const paymentsWithoutSale = [...paidByOrder].filter(([id, { cents: netCents }]) => {
    const order = ordersById.get(id)
    return netCents > 0 && !(order && (isPaid(order) || isChargedBack(order)))
  })
  const soldStatuses = new Set(['paid', 'partially_refunded', 'refunded', 'charged_back'])
  const wronglyReportedPaid = reportedPaid.filter(
    ({ orderId }) => !soldStatuses.has(ordersById.get(orderId)?.status ?? ''),
  )
  return {
    gateway,
    sales: orders.filter((order) => soldStatuses.has(order.status) && !order.period_no).length,
    renewals: orders.filter((order) => soldStatuses.has(order.status) && order.period_no).length,
    refunds: payments.filter(({ refundedCents }) => refundedCents > 0).length,
    lostPayments: paymentsWithoutSale.length + wronglyReportedPaid.length,
    paidTwice: [...paidByOrder.values()].filter(({ payments: number }) => number > 1).length,
    paidWithoutEntitlement: paid.filter(({ entitled }) => !entitled).length,
    entitledWithoutPayment: orders.filter(({ id, entitled }) => entitled && cents(id) <= 0).length,
  }
}

async function selectOrders(db: Db, gateway: OrderGatewayId): Promise<OrderRow[]> {
  const { rows } = await sql<OrderRow>`
    SELECT orders.id, orders.status, orders.period_no, CASE WHEN orders.kind = 'top_up' THEN EXISTS (
      SELECT FROM balance_lots WHERE order_id = orders.id AND kind = 'paid' AND reversed_cents + lost_cents < amount_cents)
    ELSE EXISTS (
      SELECT FROM entitlements WHERE order_id = orders.id AND revoked_at IS NULL AND CASE
        WHEN orders.kind = 'plan' THEN ends_at >= starts_at + period
          AND ends_at <= greatest(starts_at + period, next_tried_at) + ${longestGrace}::interval
        ELSE ends_at IS NULL END) END AS entitled
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
 * Counts unfinished work: open payments, refunds and webhook events. `reversals` is the number of cents of refunded or
 * disputed top-ups that are charged neither to a balance nor to the loss account. `uneven` counts the ledger
 * transactions that do not add up to zero. `balances` counts the lots that are negative or not the sum of their
 * changes.
 */
export async function countUnfinished(db: Db): Promise<Record<string, number>> {
  const { rows } = await sql<Record<string, number>>`SELECT
    (SELECT count(*) FROM payment_attempts WHERE status IN ('started', 'requires_action', 'processing', 'unknown'))::int AS payments,
    (SELECT count(*) FROM refunds WHERE status = 'started')::int AS refunds,
    (SELECT count(*) FROM webhook_events WHERE applied_at IS NULL)::int AS notifications,
    (SELECT count(*) FROM (SELECT FROM ledger_lines GROUP BY transaction_id, currency
      HAVING sum(amount_cents) <> 0) AS uneven)::int AS uneven,
    (SELECT coalesce(abs(sum(amount_cents)), 0) FROM ledger_lines WHERE account = 'top_up_reversals')::int AS reversals,
    (SELECT count(*) FROM balance_lots WHERE remaining_cents < 0 OR remaining_cents <>
      (SELECT coalesce(sum(cents), 0) FROM balance_lines WHERE lot_id = balance_lots.id))::int AS balances`.execute(
    db,
  )
  return rows[0] ?? {}
}

/**
 * Counts the episodes for which a user paid twice. That is an error, with one exception: the first purchase was
 * refunded, the user bought the episode again, and then the refund failed.
 */
export async function countRepeatedPurchases(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::int AS count FROM (SELECT FROM orders WHERE status IN ('paid', 'partially_refunded') AND kind = 'episode'
      GROUP BY user_id, episode_id HAVING count(*) > 1) AS repeated`.execute(db)
  return rows[0]?.count ?? NaN
}
