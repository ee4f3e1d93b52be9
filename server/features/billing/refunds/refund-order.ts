import { Refusal } from '#contract/errors.ts'
import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { selectAttempt, selectAttempts } from '#server/features/billing/records/attempt-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { sourceAccountOf } from '#server/features/billing/ledger/ledger.ts'
import { lockOrderOwner, selectOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import {
  insertRefund,
  lockRefundsOfOperator,
  refundKey,
  selectRequestedRefundCents,
  selectRefunds,
  type RefundRow,
} from '#server/features/billing/records/refund-queries.ts'
import { selectRefundableCents } from '#server/features/billing/balance/bonus-queries.ts'
import { nextRefundKeyParts } from './retry-unwanted-payment-refunds.ts'
import { sendRefund } from './send-refund.ts'
import { syncTopUp } from './sync-top-up.ts'
import { syncRefundsAndDisputes } from './sync-refunds-and-disputes.ts'
import { selectUnwantedPaymentsOfOrder } from './unwanted-payment-queries.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'

export interface RefundRequest {
  /** The amount to refund. The default is everything that is refundable. */
  amountCents?: number
  /** The reason, for the ledger and the audit log. */
  reason: string
  /** The refunded amount that the operator saw. The request is refused if the amount has changed since then. */
  knownRefundedCents?: number
  /** Set if the operator may refund only limited amounts. */
  limit?: RefundLimit
  /** Runs in the transaction that stores a new refund. If it throws, the refund is not stored. */
  onStart?: (tx: Tx) => Promise<void>
}

/** The limit of an operator's refunds per order. The limit per day is `dailyLimitFactor` times as high. */
export interface RefundLimit {
  operatorId: string
  /** The maximum for one order, in cents of its currency. */
  maxCents(currency: string): number
}

const dailyLimitFactor = 10

export interface RefundResult {
  refundId: string
  amountCents: number
  /** `pending` if the gateway has not answered; the janitor then retries the refund. */
  status: 'succeeded' | 'pending'
  order: Pick<OrderRow, 'id' | 'status' | 'amount_cents' | 'refunded_cents' | 'currency'>
}

/**
 * Refunds an order, in whole or in part. If no payment paid the order, refunds its oldest payment that bought nothing.
 * Uses two transactions with the gateway call between them, so that a refund can be recovered after a crash. Only one
 * refund of a payment runs at a time. A concurrent request for the same amount returns the refund in progress.
 * `sync-order-status.ts` updates the entitlements.
 * @throws Refusal notFound, notRefundable, orderDisputed, refundInProgress, refundTooLarge with the remaining amount,
 * refundHasDecimals, refundOverOrderLimit, refundOverDailyLimit, editConflict if the refunded amount differs from
 * `knownRefundedCents`, or refundDeclined if the gateway refuses or is not configured
 */
export async function refundOrder(
  context: BillingContext,
  orderId: string,
  request: RefundRequest,
): Promise<RefundResult> {
  const refund = await inTransaction(context.db, (tx) => startRefund(context, tx, orderId, request))
  const outcome = await sendRefund(context, refund)
  if (outcome === 'refused') {
    // The gateway may have refused because a refund was already made there.
    await syncRefundsAndDisputes(context, refund.attempt_id)
    throw new Refusal('refundDeclined')
  }
  const order = await selectOrder(context.db, orderId)
  if (!order) throw new Error(`order ${orderId} does not exist`)
  const status = outcome === 'done' ? 'succeeded' : 'pending'
  return { refundId: refund.id, amountCents: refund.amount_cents, status, order }
}

/** The first transaction: stores the refund with its idempotency key, or finds the refund in progress. */
async function startRefund(
  context: BillingContext,
  tx: Tx,
  orderId: string,
  { amountCents, reason, knownRefundedCents, limit, onStart }: RefundRequest,
): Promise<RefundRow> {
  if (!(await selectOrder(tx, orderId))) throw new Refusal('notFound')
  await lockOrderOwner(tx, orderId)
  const order = await selectOrder(tx, orderId)
  if (order?.status === 'charged_back') throw new Refusal('orderDisputed')
  const saleAttemptId = order && (await findSaleAttemptId(tx, order))
  const [unwantedPayment] =
    saleAttemptId === undefined ? await selectUnwantedPaymentsOfOrder(tx, orderId) : []
  const attemptId = saleAttemptId ?? unwantedPayment?.attempt_id
  const remainingCents = unwantedPayment?.cents ?? (order ? order.amount_cents - order.refunded_cents : 0)
  if (!order || attemptId === undefined || remainingCents <= 0) throw new Refusal('notRefundable')
  if (knownRefundedCents !== undefined && knownRefundedCents !== order.refunded_cents)
    throw new Refusal('editConflict')
  const payingGatewayId = (await selectAttempt(tx, attemptId))?.gateway
  const gateway = findGateway(context, payingGatewayId)
  const unit = gateway?.unitCents?.(order.currency) ?? 1
  const cents =
    amountCents ??
    (saleAttemptId === undefined ? remainingCents : await refundableCents(tx, order, remainingCents, unit))
  if (cents === 0) throw new Refusal('notRefundable')
  if (cents % unit !== 0) throw new Refusal('refundHasDecimals', { unit_cents: unit })
  const maxCents = limit?.maxCents(order.currency)
  if (maxCents !== undefined && order.refunded_cents + cents > maxCents)
    throw new Refusal('refundOverOrderLimit', { limit_cents: maxCents })
  const earlier = await selectRefunds(tx, attemptId)
  const pendingRefund = earlier.find(({ status }) => status === 'started')
  if (pendingRefund?.amount_cents === cents) return pendingRefund
  if (pendingRefund) throw new Refusal('refundInProgress')
  if (cents > remainingCents) throw new Refusal('refundTooLarge', { remaining_cents: remainingCents })
  // Without a configured gateway, the refund could not be completed.
  if (payingGatewayId !== 'balance' && !gateway) throw new Refusal('refundDeclined')
  const now = context.clock.now()
  if (limit) await checkDailyLimit(tx, limit, order.currency, cents, now)
  const refund = {
    id: newId('ref'),
    attempt_id: attemptId,
    ...(unwantedPayment
      ? refundKey('unwanted_payment', attemptId, ...nextRefundKeyParts(unwantedPayment))
      : refundKey('requested', order.id, earlier.length + 1)),
    amount_cents: cents,
    reason,
    requested_by: limit?.operatorId ?? null,
    status: 'started' as const,
    poll_count: 0,
    next_poll_at: nextPoll(0, now),
    created_at: now,
  }
  await onStart?.(tx)
  await insertRefund(tx, refund)
  // Prevents the user from spending money that is being refunded.
  await syncTopUp(tx, attemptId, now)
  return refund
}

/**
 * Returns the amount to refund if the request has none: the rest of the payment or, for a top-up, the amount that can
 * be refunded without a loss.
 */
async function refundableCents(
  tx: Tx,
  order: OrderRow,
  remainingCents: number,
  unit: number,
): Promise<number> {
  if (order.kind !== 'top_up') return remainingCents
  const refundable = Math.min(remainingCents, await selectRefundableCents(tx, order.id))
  return refundable - (refundable % unit)
}

/** Checks the operator's daily limit, separately for each currency. @throws Refusal refundOverDailyLimit */
async function checkDailyLimit(
  tx: Tx,
  limit: RefundLimit,
  currency: string,
  cents: number,
  now: Date,
): Promise<void> {
  const { operatorId } = limit
  const maxCents = limit.maxCents(currency) * dailyLimitFactor
  const since = new Date(now.getTime() - dayMs)
  // With the lock, the second of two concurrent refunds includes the first in its sum.
  await lockRefundsOfOperator(tx, operatorId)
  const requestedCents = await selectRequestedRefundCents(tx, operatorId, currency, since)
  if (requestedCents + cents > maxCents) throw new Refusal('refundOverDailyLimit', { limit_cents: maxCents })
}

/** Returns the attempt that paid an order. Ignores attempts whose payment bought nothing. */
async function findSaleAttemptId(tx: Tx, { id }: OrderRow): Promise<string | undefined> {
  for (const attempt of await selectAttempts(tx, [id])) {
    const source = await sourceAccountOf(tx, attempt.id)
    if (source !== undefined && source !== 'refunds_payable') return attempt.id
  }
  return undefined
}
