import { setTimeout as delay } from 'node:timers/promises'
import { Fault, Refusal, type RefusalName } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { selectOpenMethodConsent } from '#server/features/billing/records/method-consent-queries.ts'
import {
  isRenewalAttempt,
  insertAttempt,
  selectAttempt,
  selectAttempts,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { refusalByCardDecline } from '#server/features/billing/payment-methods/card-decline-refusals.ts'
import { callGateway, gatewayTimeoutMs } from '#server/features/billing/gateways/call-gateway.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { requireGateway } from '#server/features/billing/gateways/gateways.ts'
import { cancelAttempt } from './cancel-attempt.ts'
import {
  type Payer,
  checkCardFailureLimit,
  hashNetwork,
} from '#server/features/billing/payment-methods/limit-card-failures.ts'
import {
  lockBuyer,
  selectOrder,
  updateOpenOrder,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { paidStatuses } from '#server/features/billing/states/order-states.ts'
import { findSavedMethod } from '#server/features/billing/payment-methods/saved-method.ts'
import { isAlreadyOwned } from '#server/features/billing/records/already-owned.ts'
import { encodePurchase } from '#server/features/billing/records/purchase-metadata.ts'
import { recheckAttempt, settleAttempt } from './settle-attempt.ts'
import { checkAttemptLimit } from '#server/features/billing/payment-methods/limit-attempts.ts'

/** The data of a payment that must be requested from the gateway. */
interface Charge {
  order: OrderRow
  attempt: AttemptRow
  purchase: string
  /** The saved method to charge if there is no token. */
  methodReference: string | undefined
  save: boolean
}

/** The next step to pay an order. */
type Step =
  | { do: 'nothing' }
  | ({ do: 'charge' } & Charge)
  | { do: 'wait' | 'look up' | 'cancel'; attempt: AttemptRow }

/**
 * A payment request that the gateway does not know can no longer arrive after this time. Until then, it blocks another
 * payment.
 */
const unknownPaymentTimeoutMs = 60_000

/**
 * Pays an order in two transactions with the gateway call between them, so that a payment can be recovered after a
 * crash. An order has one attempt at a time. A concurrent request waits for that attempt and returns the same answer.
 * Resolves when the order is paid or waits for the user.
 * @throws Refusal notFound, orderClosed, alreadyOwned, savedMethodUnavailable, paymentOutcomeUnknown, or the reason for
 * the decline; Fault tooManyRequests after too many failed cards of the user or network, payments of the network, or
 * attempts to pay a renewal
 */
export async function payOrder(
  context: BillingContext,
  userId: string,
  orderId: string,
  payer: Payer,
): Promise<void> {
  const queriedIds = new Set<string>()
  for (;;) {
    const step = await inTransaction(context.db, (tx) =>
      beginAttempt(context, tx, { userId, orderId, payer, queriedIds }),
    )
    if (step.do === 'nothing') return
    const { attempt } = step
    if (step.do === 'charge') {
      await charge(context, step, payer)
      return checkOutcome(context, attempt)
    }
    if (step.do === 'wait') {
      await waitForConcurrentAttempt(context, attempt)
      return checkOutcome(context, attempt)
    }
    queriedIds.add(attempt.id)
    if (step.do === 'cancel') await cancelAttempt(context, attempt)
    else await recheckAttempt(context, attempt)
  }
}

interface PaymentRequest {
  userId: string
  orderId: string
  payer: Payer
  /** The attempts that this call has already queried at the gateway. */
  queriedIds: ReadonlySet<string>
}

/** The first transaction: decides on the next step. For a charge, stores the attempt with its idempotency key. */
async function beginAttempt(
  context: BillingContext,
  tx: Tx,
  { userId, orderId, payer, queriedIds }: PaymentRequest,
): Promise<Step> {
  await lockBuyer(tx, userId)
  const now = context.clock.now()
  const order = await selectOrder(tx, orderId)
  if (order?.user_id !== userId) throw new Refusal('notFound')
  if (order.status === 'paid' || order.status === 'partially_refunded') return { do: 'nothing' }
  if (order.status !== 'pending') throw new Refusal('orderClosed')
  // If the database has lost the payment of this period, the buyer has already paid for it. Only the restored payment
  // may pay for the period, so the period is not sold again.
  if (await isAlreadyOwned(tx, order, { now, isRestored: false })) throw new Refusal('alreadyOwned')
  const attempts = await selectAttempts(tx, [orderId])
  for (const attempt of attempts.filter(({ status }) => isOpen(status))) {
    const step = stepFor(context, attempt, payer, queriedIds.has(attempt.id))
    // At the limit this throws before the open attempt is cancelled, so that the user can still complete it.
    if (step?.do === 'cancel') checkAttemptLimit(order, attempts, now)
    if (step) return step
  }
  // The expiry is checked only here, because an expired order remains open while a payment is in progress.
  if (order.expires_at <= now) throw new Refusal('orderClosed')
  // The reference to the saved card is deleted, so that a decline of the new card does not remove the saved one.
  if (order.saved_method_id !== null && payer.token !== undefined)
    await updateOpenOrder(tx, order.id, { saved_method_id: null })
  const saved =
    order.saved_method_id === null || payer.token !== undefined
      ? undefined
      : await findSavedMethod(tx, userId, order.saved_method_id, now)
  if (!saved && requireGateway(context, order).tokenStep(order.method) && payer.token === undefined)
    throw new Fault('badRequest', 'payment_token is required')
  const network = order.method === 'card' ? hashNetwork(context, payer.ip) : null
  if (network !== null) await checkCardFailureLimit(context, tx, { userId, network }, now)
  checkAttemptLimit(order, attempts, now)
  context.quotas.spendOrThrow('payments', payer.ip)
  const number = (attempts[0]?.number ?? 0) + 1
  const attempt = await insertAttempt(tx, {
    id: newId('att'),
    order_id: order.id,
    number,
    idempotency_key: `pay:${order.id}:${number}`,
    gateway: order.gateway,
    status: 'started',
    started_at: now,
    network_hash: network,
    next_poll_at: nextPoll(0, now),
  })
  return {
    do: 'charge',
    order,
    attempt,
    methodReference: saved?.reference,
    save: order.kind === 'plan' || (await selectOpenMethodConsent(tx, orderId)) !== undefined,
    purchase: await encodePurchase(context, tx, order, { renewal: false }),
  }
}

/** Returns the step that an open attempt requires before a new payment, or undefined if it requires none. */
function stepFor(
  context: BillingContext,
  attempt: AttemptRow,
  payer: Payer,
  wasQueried: boolean,
): Step | undefined {
  const age = context.clock.now().getTime() - attempt.started_at.getTime()
  // The payment of a renewal may take days. In the meantime the user can pay at the checkout. If both payments succeed,
  // one is refunded.
  if (isRenewalAttempt(attempt) && attempt.status !== 'requires_action' && wasQueried) return undefined
  if (attempt.status === 'requires_action') {
    if (wasQueried && payer.token === undefined) return { do: 'nothing' }
    if (wasQueried) throw new Refusal('paymentOutcomeUnknown')
    return { do: payer.token === undefined ? 'look up' : 'cancel', attempt }
  }
  if (wasQueried) {
    const mayStillSucceed = attempt.reference !== null || age < unknownPaymentTimeoutMs
    if (mayStillSucceed) throw new Refusal('paymentOutcomeUnknown')
    return undefined
  }
  const inProgress = attempt.status === 'started' && age < (context.gatewayTimeoutMs ?? gatewayTimeoutMs)
  return { do: inProgress ? 'wait' : 'look up', attempt }
}

/** Calls the gateway with the committed idempotency key, then settles the attempt in the second transaction. */
async function charge(
  context: BillingContext,
  { order, attempt, purchase, methodReference, save }: Charge,
  payer: Payer,
): Promise<void> {
  const outcome = await callGateway(context, requireGateway(context, order), (gateway) =>
    gateway.createPayment({
      key: attempt.idempotency_key,
      orderId: order.id,
      attemptId: attempt.id,
      amountCents: order.amount_cents,
      currency: order.currency,
      payer: {
        userId: order.user_id,
        email: order.email,
        firstName: payer.firstName,
        lastName: payer.lastName,
      },
      purchase,
      method: order.method,
      token: payer.token,
      methodReference,
      save,
      returnUrl: `${context.publicUrl}/order/result?order_id=${order.id}`,
    }),
  )
  await settleAttempt(context, attempt, outcome ?? 'unknown')
}

/** Waits until another request has settled the attempt, for at most the time limit of a gateway call. */
async function waitForConcurrentAttempt(context: BillingContext, attempt: AttemptRow): Promise<void> {
  const deadline = Date.now() + (context.gatewayTimeoutMs ?? gatewayTimeoutMs)
  for (let pause = 25; Date.now() < deadline; pause = Math.min(pause * 2, 400)) {
    await delay(pause)
    const current = await selectAttempt(context.db, attempt.id)
    if (current?.status !== 'started') return
  }
}

const refusalByDeclineCode: Record<string, RefusalName> = {
  ...refusalByCardDecline,
  authentication_failed: 'bankAuthenticationFailed',
  authentication_required: 'bankAuthenticationFailed',
  cancelled: 'paymentCancelled',
  email_rejected: 'emailInvalid',
}

/** Returns the refusal for an attempt that failed. */
export function declineReasonOf(attempt: AttemptRow): RefusalName {
  return refusalByDeclineCode[attempt.decline_code ?? ''] ?? 'paymentFailed'
}

function refusalFor(attempt: AttemptRow): Refusal {
  const reason = declineReasonOf(attempt)
  return new Refusal(reason, reason === 'emailInvalid' ? { field: 'email' } : {})
}

/**
 * Checks that an attempt has succeeded or waits for the user.
 * @throws Refusal paymentOutcomeUnknown, alreadyOwned, introPriceUsed, or the reason for the decline
 */
export async function checkOutcome({ db }: BillingContext, { id, order_id }: AttemptRow): Promise<void> {
  const attempt = await selectAttempt(db, id)
  if (!attempt || attempt.status === 'started' || attempt.status === 'unknown')
    throw new Refusal('paymentOutcomeUnknown')
  if (attempt.status === 'failed' || attempt.status === 'cancelled') throw refusalFor(attempt)
  if (attempt.status !== 'succeeded') return
  const order = await selectOrder(db, order_id)
  // The payment succeeded, even if it has been refunded since then.
  if (order && paidStatuses.includes(order.status)) return
  throw new Refusal(order?.introductory && order.status === 'cancelled' ? 'introPriceUsed' : 'alreadyOwned')
}
