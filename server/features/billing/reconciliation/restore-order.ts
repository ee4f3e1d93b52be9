import { insertUser } from '#server/features/members/members.ts'
import { attributionForToken, type OrderAttribution } from '#server/features/tracking/tracking.ts'
import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import type { Tx } from '#server/tables.ts'
import {
  insertAttempt,
  selectAttempt,
  selectAttempts,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import { auditPayment } from '#server/features/billing/records/audit-payment.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { fetchPayerEmail } from '#server/features/billing/gateways/call-gateway.ts'
import type { Payment, PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import {
  insertOrder,
  isPlanChange,
  lockBuyer,
  selectOrder,
  markOrderRestored,
  setPeriodOfOrder,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { decodePurchase, type Purchase } from '#server/features/billing/records/purchase-metadata.ts'
import { selectOrderOfPeriod } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { paidStatuses } from '#server/features/billing/states/order-states.ts'
import { releasePeriod } from '#server/features/billing/subscriptions/change-plan.ts'
import { selectTopUp } from '#server/features/billing/balance/top-up-queries.ts'
import { selectBuyer } from './restore-queries.ts'
import {
  insertSubscription,
  selectSubscription,
} from '#server/features/billing/records/renewals/subscription-queries.ts'

/**
 * Restores the order and the attempt of a payment that the gateway has but the database has lost. A payment is lost by
 * a restore from a backup or a failover to a lagging standby. As for any payment, settling the restored attempt then
 * adds entitlement, ledger lines and mails once.
 * @returns undefined for a payment of another site, or if the purchase cannot be decoded
 * @throws Error if the gateway does not answer
 */
export async function restoreOrder(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
): Promise<AttemptRow | undefined> {
  const purchase = decodePurchase(context, payment)
  if (!purchase) return undefined
  const gatewayEmail = await fetchPayerEmail(context, gateway, payment.reference)
  if (gatewayEmail === 'unknown') throw new Error(`${gateway.id} did not return the e-mail of a buyer`)
  return inTransaction(context.db, (tx) =>
    restoreAttempt(context, tx, { gateway, payment, purchase, gatewayEmail }),
  )
}

interface LostPayment {
  gateway: PaymentGateway
  payment: Payment
  purchase: Purchase
  /** The buyer's e-mail address at the gateway. */
  gatewayEmail: string | undefined
}

async function restoreAttempt(
  context: BillingContext,
  tx: Tx,
  lostPayment: LostPayment,
): Promise<AttemptRow> {
  const { gateway, payment, purchase } = lostPayment
  const { userId, language, renewal } = purchase
  const now = context.clock.now()
  await insertUser(tx, { id: userId, language, created_at: now })
  await lockBuyer(tx, userId)
  const existing = await selectAttempt(tx, payment.attemptId)
  if (existing) return existing
  const order = await findOrCreateOrder(context, tx, lostPayment, now)
  await markOrderRestored(tx, order.id, now)
  const [latest] = await selectAttempts(tx, [order.id])
  const attempt = await insertAttempt(tx, {
    id: payment.attemptId,
    order_id: order.id,
    number: (latest?.number ?? 0) + 1,
    idempotency_key: `${renewal ? 'renew' : 'pay'}:restored:${payment.attemptId}`,
    initiator: renewal ? 'merchant' : 'customer',
    gateway: gateway.id,
    reference: payment.reference,
    status: 'started',
    started_at: now,
    next_poll_at: now,
  })
  await auditPayment(tx, 'order_restored', order, now, { reference: payment.reference })
  return attempt
}

/**
 * Returns the order of a lost payment: the original order if it exists, otherwise an order that was created later for
 * the same period and price. Creates a new order if there is neither. If the original order is a planned change of
 * plan, gives it the period that was charged.
 */
async function findOrCreateOrder(
  context: BillingContext,
  tx: Tx,
  lostPayment: LostPayment,
  now: Date,
): Promise<OrderRow> {
  const { payment, purchase } = lostPayment
  const existing = await selectOrder(tx, payment.orderId)
  if (existing && !isPlanChange(existing)) return existing
  const orderOfPeriod = await findOrderOfPeriod(tx, purchase)
  if (!existing && orderOfPeriod && isSamePurchase(orderOfPeriod, lostPayment)) return orderOfPeriod
  const period_no = await claimPeriod(tx, purchase, orderOfPeriod, now)
  if (existing)
    await setPeriodOfOrder(tx, existing.id, {
      period_no,
      expires_at: existing.expires_at,
      gateway: lostPayment.gateway.id,
    })
  else await insertLostOrder(context, tx, lostPayment, { period_no, now })
  const order = await selectOrder(tx, payment.orderId)
  if (!order) throw new Error(`order ${payment.orderId} does not exist`)
  return order
}

async function findOrderOfPeriod(
  tx: Tx,
  { subscriptionId, periodNo }: Purchase,
): Promise<OrderRow | undefined> {
  if (subscriptionId === null || periodNo === null) return undefined
  return selectOrderOfPeriod(tx, subscriptionId, periodNo)
}

/** Returns whether an order is for the plan and the price of a lost payment. */
function isSamePurchase(
  { plan_id, amount_cents, currency }: OrderRow,
  { payment, purchase }: LostPayment,
): boolean {
  return plan_id === purchase.planId && amount_cents === payment.amountCents && currency === payment.currency
}

/**
 * Returns the period of a lost payment. Another order for this period, with another plan or price, may have been
 * created since. If that order is paid, returns null, and the lost payment is refunded. Otherwise that order loses the
 * period, and a later payment for that order is refunded.
 */
async function claimPeriod(
  tx: Tx,
  { periodNo, planId }: Purchase,
  orderOfPeriod: OrderRow | undefined,
  now: Date,
): Promise<number | null> {
  if (!orderOfPeriod) return periodNo
  if (paidStatuses.includes(orderOfPeriod.status)) return null
  if (orderOfPeriod.plan_id !== planId) await auditCancelledChange(tx, orderOfPeriod, now)
  await releasePeriod(tx, orderOfPeriod)
  return periodNo
}

/** Writes an audit event if an order that loses its period was an open change of plan. */
async function auditCancelledChange(
  tx: Tx,
  { user_id: userId, subscription_id, plan_id, status }: OrderRow,
  now: Date,
): Promise<void> {
  const subscription = subscription_id === null ? undefined : await selectSubscription(tx, subscription_id)
  if (!subscription || subscription.plan_id === plan_id || status !== 'pending') return
  await writeAuditEvent(tx, {
    event: 'plan_change_cancelled',
    userId,
    at: now,
    details: { subscription_id, plan_id: subscription.plan_id },
  })
}

async function insertLostOrder(
  context: BillingContext,
  tx: Tx,
  lostPayment: LostPayment,
  { period_no, now }: { period_no: number | null; now: Date },
): Promise<void> {
  const { payment, purchase } = lostPayment
  await insertOrder(tx, {
    id: payment.orderId,
    user_id: purchase.userId,
    kind: purchase.kind,
    video_id: purchase.videoId,
    episode_id: purchase.episodeId,
    plan_id: purchase.planId,
    ...(await findTopUp(tx, purchase)),
    subscription_id: await restoreSubscription(tx, purchase, now),
    period_no,
    introductory: purchase.introductory,
    // Without a period, a pending order would be a planned change of plan.
    status: purchase.periodNo === period_no ? 'pending' : 'cancelled',
    amount_cents: payment.amountCents,
    currency: payment.currency,
    gateway: lostPayment.gateway.id,
    method: purchase.method,
    ...(await findAddress(tx, lostPayment, now)),
    consent: purchase.consent && JSON.stringify(purchase.consent),
    attribution: JSON.stringify(await findAttribution(context, tx, purchase)),
    created_at: now,
    expires_at: new Date(now.getTime() + dayMs),
  })
}

/** Returns the purchased top-up with its current bonus, because the payment does not store the bonus that was shown. */
async function findTopUp(tx: Tx, { topUpId }: Purchase): Promise<Partial<OrderRow>> {
  const product = topUpId === null ? undefined : await selectTopUp(tx, topUpId)
  if (!product) return {}
  return { top_up_id: product.id, bonus_cents: product.bonus_cents, bonus_days: product.bonus_days }
}

/**
 * Returns the id of the subscription of a plan's order. If the subscription was lost too, creates it again, and it
 * starts with the order's period.
 */
async function restoreSubscription(
  tx: Tx,
  { subscriptionId: id, planId, userId, agreedCents }: Purchase,
  now: Date,
): Promise<string | null> {
  if (id === null || planId === null) return null
  if (await selectSubscription(tx, id)) return id
  await insertSubscription(tx, {
    id,
    user_id: userId,
    plan_id: planId,
    agreed_price_cents: agreedCents,
    status: 'incomplete',
    created_at: now,
  })
  return id
}

/** Returns those parts of the buyer's attribution that the payment stores. */
async function findAttribution(
  context: BillingContext,
  tx: Tx,
  { userId, referrerToken, creditedVideoId }: Purchase,
): Promise<OrderAttribution> {
  return {
    ...(referrerToken === null ? {} : await attributionForToken(context, tx, userId, referrerToken)),
    ...(creditedVideoId === null ? {} : { video_id: creditedVideoId }),
  }
}

/**
 * Returns the buyer's e-mail address. If the account was deleted, marks the order as erased, so that the payment is
 * refunded.
 */
async function findAddress(
  tx: Tx,
  { purchase, gatewayEmail }: LostPayment,
  now: Date,
): Promise<Pick<OrderRow, 'email' | 'erased_at'>> {
  const buyer = await selectBuyer(tx, purchase.userId)
  if (buyer?.deleted_at) return { email: '', erased_at: now }
  return { email: buyer?.email ?? buyer?.last_email ?? gatewayEmail ?? '', erased_at: null }
}
