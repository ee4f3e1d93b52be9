import { grantEntitlement } from '#server/features/library/library.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import {
  pollBy,
  transitionAttempt,
  selectAttempt,
  setNextStep,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import { creditTopUp } from '#server/features/billing/balance/balance.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { auditPayment } from '#server/features/billing/records/audit-payment.ts'
import { callGateway } from '#server/features/billing/gateways/call-gateway.ts'
import { arrivalDeadline } from '#server/features/billing/records/polling-schedule.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import { claimIntroductoryPrice } from '#server/features/billing/subscriptions/introductory-price.ts'
import { enterSale } from '#server/features/billing/ledger/ledger.ts'
import { attachLateMethod } from '#server/features/billing/payment-methods/attach-late-method.ts'
import {
  lockOrderOwner,
  transitionOrder,
  selectOrder,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { orderStates } from '#server/features/billing/states/order-states.ts'
import { isAlreadyOwned } from '#server/features/billing/records/already-owned.ts'
import { reportConversion } from './report-conversion.ts'
import { autoRefund } from '#server/features/billing/refunds/auto-refund.ts'
import { sendPendingRefunds } from '#server/features/billing/refunds/send-pending-refunds.ts'
import {
  removeDeclinedMethod,
  saveMethodForPurchases,
} from '#server/features/billing/payment-methods/saved-method.ts'
import { sendReceipt } from '#server/features/billing/mails/send-receipt.ts'
import { sendOrderRestoredMail } from '#server/features/billing/mails/send-order-restored-mail.ts'
import {
  continueSubscription,
  findRenewal,
  recordFailedRenewal,
} from '#server/features/billing/subscriptions/settle-renewal.ts'
import { restorePeriod } from '#server/features/billing/subscriptions/restore-period.ts'
import { startSubscription } from '#server/features/billing/subscriptions/start-subscription.ts'

/**
 * The state of an attempt's payment: as the gateway reports it; `unknown` if the gateway did not answer; or `never
 * received` if the gateway does not have the payment.
 */
type PaymentOutcome = Payment | 'unknown' | 'never received'

/**
 * Updates an attempt, its order and its entitlement according to the state of the payment, in one transaction.
 * Payments, webhook events and the janitor call this function in any order and any number of times. A payment that buys
 * nothing (such as a second payment of the order) is refunded automatically.
 */
export async function settleAttempt(
  context: BillingContext,
  attempt: AttemptRow,
  outcome: PaymentOutcome,
): Promise<void> {
  const { db, clock } = context
  if (typeof outcome !== 'string' && isOfOtherAttempt(outcome, attempt))
    return settleAttempt(context, attempt, 'unknown')
  await inTransaction(db, async (tx) => {
    await lockOrderOwner(tx, attempt.order_id)
    await applyOutcome(context, tx, attempt.id, outcome, clock.now())
  })
  if (typeof outcome !== 'string' && outcome.status === 'succeeded')
    await sendPendingRefunds(context, attempt.id)
}

/**
 * Returns whether the gateway's payment belongs to another attempt. After the restore of a database, a new attempt may
 * have the same idempotency key as a lost one.
 */
function isOfOtherAttempt(payment: Payment, { id }: AttemptRow): boolean {
  return payment.status !== 'unreadable' && payment.attemptId !== id
}

async function applyOutcome(
  context: BillingContext,
  tx: Tx,
  attemptId: string,
  outcome: PaymentOutcome,
  now: Date,
): Promise<void> {
  const attempt = await selectAttempt(tx, attemptId)
  const order = attempt && (await selectOrder(tx, attempt.order_id))
  if (!attempt || !order) throw new Error(`attempt ${attemptId} does not exist`)
  if (outcome === 'unknown') {
    if (attempt.status === 'started') await transitionAttempt(tx, attemptId, 'unknown')
    return
  }
  if (outcome === 'never received') {
    if (!isOpen(attempt.status)) return
    await closeAttempt(tx, attempt, 'failed', { decline_code: 'not_received' })
    return recordFailedRenewal(context, tx, { order, attempt, now }, 'not_received')
  }
  // The gateway reports a state that this site does not know. The reconciliation shows the payment to operators.
  if (outcome.status === 'unreadable') return
  checkMatchesOrder(order, outcome)
  if (outcome.status === 'succeeded') return applySuccess(context, tx, order, attempt, outcome, now)
  if (!isOpen(attempt.status)) return
  const { status, reference, next, decline } = outcome
  const nextStep = next ? JSON.stringify(next) : null
  // The user's next step may change without a change of the status, such as from the card form to 3-D Secure.
  if (attempt.status === status) return setNextStep(tx, attempt.id, nextStep)
  if (status === 'failed' || status === 'cancelled') {
    const reason = decline ?? status
    // A cancelled payment is not audited as failed, because the user may have chosen another method.
    if (reason !== 'cancelled') await auditPayment(tx, 'payment_failed', order, now, { reason })
    await closeAttempt(tx, attempt, status, { reference, decline_code: reason })
    await removeDeclinedMethod(tx, order, attempt, reason, now)
    return recordFailedRenewal(context, tx, { order, attempt, now }, reason)
  }
  if (status === 'requires_action')
    await recordFailedRenewal(context, tx, { order, attempt, now }, 'authentication_required')
  if (status === 'processing') await recordFailedRenewal(context, tx, { order, attempt, now }, 'processing')
  await transitionAttempt(tx, attemptId, status, {
    reference,
    next_step: nextStep,
  })
}

function closeAttempt(
  tx: Tx,
  attempt: AttemptRow,
  to: 'failed' | 'cancelled' | 'succeeded',
  change: { reference?: string; decline_code?: string },
) {
  return transitionAttempt(tx, attempt.id, to, { ...change, next_step: null, next_poll_at: null })
}

/**
 * Checks that a payment has the amount, the currency and the id of its order. A restored order may have another id. A
 * payment that differs unlocks nothing and must be resolved by an operator.
 * @throws Error if the payment does not match
 */
function checkMatchesOrder(order: OrderRow, payment: Payment): void {
  const same =
    payment.amountCents === order.amount_cents &&
    payment.currency === order.currency &&
    (payment.orderId === order.id || order.restored_at !== null)
  if (!same) throw new Error(`payment ${payment.reference} does not match order ${order.id}`)
}

/**
 * Applies a payment that succeeded, possibly late. An order that was closed while the payment was in progress becomes
 * paid. The payment is refunded if its attempt was already settled as failed or cancelled, because the user was then
 * asked to pay again. It is also refunded if it buys nothing.
 */
async function applySuccess(
  context: BillingContext,
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  payment: Payment,
  now: Date,
): Promise<void> {
  if (attempt.status === 'succeeded') return attachLateMethod(tx, order, attempt, payment, now)
  const inTime = isOpen(attempt.status)
  if (inTime) await closeAttempt(tx, attempt, 'succeeded', { reference: payment.reference })
  const isFulfillable = inTime && (await canBeFulfilled(tx, order, now))
  const introPriceAllowed =
    !isFulfillable || !order.introductory || (await claimIntroductoryPrice(context, tx, order, payment))
  if (isFulfillable && introPriceAllowed) {
    await enterSale(tx, order, attempt, now)
    await transitionOrder(tx, order.id, 'paid', { paid_at: now, tax_rate: taxRateOf(context, order) })
    await auditPayment(tx, 'order_paid', order, now)
    await reportConversion(context, tx, order, now)
    await grantProduct(tx, { order, attempt, now }, payment)
    if (order.restored_at !== null) await sendOrderRestoredMail(context, tx, order)
    return sendReceipt(context, tx, order)
  }
  await autoRefund(context, tx, { order, attempt, payment, now, inTime, introPriceAllowed })
}

/**
 * Returns whether a payment can still buy the order's product. It cannot if the user already owns the product, has
 * deleted the account, or has withdrawn.
 */
async function canBeFulfilled(tx: Tx, order: OrderRow, now: Date): Promise<boolean> {
  if (order.erased_at !== null || order.withdrawn_at !== null) return false
  if (!orderStates.allows(order.status, 'paid')) return false
  return !(await isAlreadyOwned(tx, order, { now, isRestored: order.restored_at !== null }))
}

interface PaidAttempt {
  order: OrderRow
  attempt: AttemptRow
  now: Date
}

/**
 * Returns the tax rate of an order, in hundredths of a percent. Returns zero for a top-up, which is taxed when it is
 * spent.
 */
const taxRateOf = ({ operator }: BillingContext, { kind }: OrderRow) =>
  kind === 'top_up' ? 0 : operator.taxRate

/**
 * Grants the product of a paid order: an episode, a whole video, all videos until the end of a plan's period, or money
 * in the balance.
 */
async function grantProduct(tx: Tx, paid: PaidAttempt, payment: Payment): Promise<void> {
  const { order, now } = paid
  if (order.kind === 'plan') return grantPeriod(tx, paid, payment)
  await saveMethodForPurchases(tx, order, paid.attempt, payment, now)
  if (order.kind === 'top_up') return creditTopUp(tx, order, now)
  await grantPurchase(tx, order, now)
}

/** Grants the entitlement to an episode or a whole video. */
export async function grantPurchase(tx: Tx, order: OrderRow, now: Date): Promise<void> {
  await grantEntitlement(tx, {
    userId: order.user_id,
    orderId: order.id,
    source: 'purchase',
    videoId: order.video_id,
    episodeId: order.episode_id,
    startsAt: now,
  })
}

async function grantPeriod(tx: Tx, paid: PaidAttempt, payment: Payment): Promise<void> {
  if (paid.order.restored_at === null) {
    const row = await findRenewal(tx, paid.order)
    if (row) return continueSubscription(tx, { ...paid, row }, payment)
  } else if (await restorePeriod(tx, paid, payment)) return
  await startSubscription(tx, paid.order, paid.attempt, payment, paid.now)
}

/**
 * Queries the payment of an open attempt at its gateway, completes it if the user has approved it, and settles the
 * attempt. Never sends the payment again. If the gateway does not know the payment and the request can no longer
 * arrive, the payment counts as lost.
 */
export async function recheckAttempt(context: BillingContext, attempt: AttemptRow): Promise<void> {
  const gateway = findGateway(context, attempt.gateway)
  if (!gateway)
    return context.log.error(
      { attempt: attempt.id, gateway: attempt.gateway },
      'an open payment uses a gateway that is not configured',
    )
  const { id: attemptId, reference, idempotency_key: key, started_at: startedAt } = attempt
  const found = await callGateway(context, gateway, (client) => {
    if (reference === null) return client.retrievePayment({ key, attemptId, startedAt })
    return attempt.status === 'requires_action'
      ? client.confirmPayment(reference)
      : client.retrievePayment({ reference })
  })
  const outcome = found !== 'unknown' && found && isOfOtherAttempt(found, attempt) ? null : found
  const lostAt = arrivalDeadline(startedAt, reference === null ? gateway.lookupLagMs : undefined)
  if (outcome === null && context.clock.now() < lostAt) return pollBy(context.db, attemptId, lostAt)
  await settleAttempt(context, attempt, outcome ?? 'never received')
}
