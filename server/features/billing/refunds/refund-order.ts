import { Refusal } from '#contract/errors.ts'
import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { selectAttempt, selectAttempts } from '#server/features/billing/records/attempt-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { nextPoll } from '#server/features/billing/records/polling-schedule.ts'
import { sourceOf } from '#server/features/billing/ledger/ledger.ts'
import { lockOwner, selectOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import {
  insertRefund,
  lockRefunder,
  refundKey,
  selectAskedCents,
  selectRefunds,
  type RefundRow,
} from '#server/features/billing/records/refund-queries.ts'
import { selectRefundable } from '#server/features/billing/balance/bonus-queries.ts'
import { nextTry } from './return-again.ts'
import { sendRefund } from './send-refund.ts'
import { syncTopUp } from './sync-top-up.ts'
import { syncRefundsAndDisputes } from './sync-refunds-and-disputes.ts'
import { selectUnreturnedOf } from './unreturned-queries.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'

export interface RefundRequest {
  /** By default, all that is left. */
  amountCents?: number
  /** For the ledger and the audit log. */
  reason: string
  /** The refunded amount when the operator decided; the request is refused if more is refunded by now. */
  knownRefundedCents?: number
  /** For operators who may refund limited amounts only. */
  limit?: RefundLimit
  /** Runs in the transaction that stores a new refund; an error refuses the refund. */
  onStart?: (tx: Tx) => Promise<void>
}

/** The maximum refund of an operator per order; per day, `ordersADay` times that. */
export interface RefundLimit {
  operatorId: string
  /** The maximum for one order, in cents of its currency. */
  mostCents(currency: string): number
}

const ordersADay = 10

export interface RefundMade {
  refundId: string
  amountCents: number
  /** `sending`: the gateway has not answered yet; the janitor retries the refund. */
  status: 'done' | 'sending'
  order: Pick<OrderRow, 'id' | 'status' | 'amount_cents' | 'refunded_cents' | 'currency'>
}

/**
 * Refunds an order, or a payment for it that bought nothing, in whole or in part, in two transactions with the gateway call
 * between them, so that a crash in between is recovered. There is one refund at a time: a request for the same amount meanwhile
 * returns the refund in progress. sync-order-status.ts changes the entitlements.
 * @throws Refusal notFound, notRefundable, orderDisputed, refundUnderWay, refundTooLarge with what is left, refundNotWhole,
 * refundOverLimit, refundOverDay, movedOn if more was refunded than the request states, or refundRefused if the gateway
 * refuses, or is no longer configured
 */
export async function refundOrder(
  context: BillingContext,
  orderId: string,
  wish: RefundRequest,
): Promise<RefundMade> {
  const refund = await inTransaction(context.db, (tx) => beginRefund(context, tx, orderId, wish))
  const outcome = await sendRefund(context, refund)
  if (outcome === 'refused') {
    // It may have been refunded at the gateway already.
    await syncRefundsAndDisputes(context, refund.attempt_id)
    throw new Refusal('refundRefused')
  }
  const order = await selectOrder(context.db, orderId)
  if (!order) throw new Error(`order ${orderId} is gone`)
  const status = outcome === 'done' ? 'done' : 'sending'
  return { refundId: refund.id, amountCents: refund.amount_cents, status, order }
}

/** The first transaction: stores the refund with its key, or finds the one in progress. */
async function beginRefund(
  context: BillingContext,
  tx: Tx,
  orderId: string,
  { amountCents, reason, knownRefundedCents, limit, onStart }: RefundRequest,
): Promise<RefundRow> {
  if (!(await selectOrder(tx, orderId))) throw new Refusal('notFound')
  await lockOwner(tx, orderId)
  const order = await selectOrder(tx, orderId)
  if (order?.status === 'charged_back') throw new Refusal('orderDisputed')
  const sale = order && (await findSale(tx, order))
  const [unreturned] = sale === undefined ? await selectUnreturnedOf(tx, orderId) : []
  const attemptId = sale ?? unreturned?.attempt_id
  const left = unreturned?.cents ?? (order ? order.amount_cents - order.refunded_cents : 0)
  if (!order || attemptId === undefined || left <= 0) throw new Refusal('notRefundable')
  if (knownRefundedCents !== undefined && knownRefundedCents !== order.refunded_cents)
    throw new Refusal('movedOn')
  const payer = (await selectAttempt(tx, attemptId))?.gateway
  const gateway = findGateway(context, payer)
  const unit = gateway?.unitCents?.(order.currency) ?? 1
  const cents = amountCents ?? (sale === undefined ? left : await refundableCents(tx, order, left, unit))
  if (cents === 0) throw new Refusal('notRefundable')
  if (cents % unit !== 0) throw new Refusal('refundNotWhole', { unit_cents: unit })
  const most = limit?.mostCents(order.currency)
  if (most !== undefined && order.refunded_cents + cents > most)
    throw new Refusal('refundOverLimit', { limit_cents: most })
  const earlier = await selectRefunds(tx, attemptId)
  const open = earlier.find(({ status }) => status === 'started')
  if (open?.amount_cents === cents) return open
  if (open) throw new Refusal('refundUnderWay')
  if (cents > left) throw new Refusal('refundTooLarge', { left_cents: left })
  // Without a gateway the refund would stay pending forever.
  if (payer !== 'balance' && !gateway) throw new Refusal('refundRefused')
  const now = context.clock.now()
  if (limit) await checkDay(tx, limit, order.currency, cents, now)
  const refund = {
    id: newId('ref'),
    attempt_id: attemptId,
    ...(unreturned
      ? refundKey('unwanted_payment', attemptId, ...nextTry(unreturned))
      : refundKey('requested', order.id, earlier.length + 1)),
    amount_cents: cents,
    reason,
    requested_by: limit?.operatorId ?? null,
    status: 'started' as const,
    checks: 0,
    check_at: nextPoll(0, now),
    created_at: now,
  }
  await onStart?.(tx)
  await insertRefund(tx, refund)
  // Money that is being refunded cannot be spent.
  await syncTopUp(tx, attemptId, now)
  return refund
}

/** The refund if no amount is given: all that is left; of a top-up, the unspent part less its spent bonus. */
async function refundableCents(tx: Tx, order: OrderRow, left: number, unit: number): Promise<number> {
  if (order.kind !== 'top_up') return left
  const refundable = Math.min(left, await selectRefundable(tx, order.id))
  return refundable - (refundable % unit)
}

/** Checks the daily limit by currency: cents of several can't be added up. @throws Refusal refundOverDay */
async function checkDay(
  tx: Tx,
  limit: RefundLimit,
  currency: string,
  cents: number,
  now: Date,
): Promise<void> {
  const { operatorId } = limit
  const most = limit.mostCents(currency) * ordersADay
  const since = new Date(now.getTime() - dayMs)
  // The second of two concurrent refunds counts the first.
  await lockRefunder(tx, operatorId)
  const gone = await selectAskedCents(tx, operatorId, currency, since)
  if (gone + cents > most) throw new Refusal('refundOverDay', { limit_cents: most })
}

/** Returns the attempt that paid an order, as opposed to one whose payment bought nothing. */
async function findSale(tx: Tx, { id }: OrderRow): Promise<string | undefined> {
  for (const attempt of await selectAttempts(tx, [id])) {
    const source = await sourceOf(tx, attempt.id)
    if (source !== undefined && source !== 'to_return') return attempt.id
  }
  return undefined
}
