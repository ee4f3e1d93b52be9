import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import {
  isPayableFromBalance,
  refundToBalance,
  type BalancePurchase,
} from '#server/features/billing/balance/balance.ts'
import { selectPurchasesPaidByTopUp } from '#server/features/billing/balance/lot-queries.ts'
import {
  withdrawBonus,
  lockPaidLot,
  restoreBonus,
  reverseLot,
} from '#server/features/billing/balance/reverse-top-up.ts'
import { sourceAccountOf } from '#server/features/billing/ledger/ledger.ts'
import {
  selectAttempt,
  selectAttempts,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import { auditPayment } from '#server/features/billing/records/audit-payment.ts'
import { selectOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import {
  finishRefund,
  insertRefund,
  refundKey,
  selectRefunds,
  type RefundRow,
} from '#server/features/billing/records/refund-queries.ts'
import { syncOrderStatus } from './sync-order-status.ts'

/**
 * Updates the balance after refunds (also those in progress) and disputes of a top-up's payment. Takes the amount from
 * the unspent money first. A dispute then revokes purchases paid by the top-up, latest first. The remaining amount is a
 * loss. The bonus is withdrawn when the remaining paid money does not exceed the spent bonus. The balance never drops
 * below zero. If a refund fails or a dispute is won, the money is credited again. The caller must have locked the user.
 * Idempotent.
 */
export async function syncTopUp(tx: Tx, attemptId: string, at: Date): Promise<void> {
  const attempt = await selectAttempt(tx, attemptId)
  const order = attempt && (await selectOrder(tx, attempt.order_id))
  // A second payment of the same top-up bought nothing and was not credited to the balance.
  const isTopUp = order?.kind === 'top_up' && (await sourceAccountOf(tx, attemptId)) === 'deferred_revenue'
  const lot = isTopUp ? await lockPaidLot(tx, order.id) : undefined
  if (!attempt || !order || !lot) return
  const returnedCents = sumOfRefunds(await selectRefunds(tx, attemptId)) + attempt.dispute_debited_cents
  const changeCents = returnedCents - lot.reversed_cents - lot.lost_cents
  if (changeCents > 0) {
    const reversed = Math.min(changeCents, lot.remaining_cents)
    const kind = attempt.dispute_debited_cents > 0 ? 'chargeback' : 'top_up_refund'
    await reverseLot(tx, lot, kind, { reversed, lost: changeCents - reversed }, at)
    if (attempt.dispute_debited_cents > 0)
      await revokePurchases(tx, order, returnedCents >= order.amount_cents, at)
    await withdrawBonus(tx, order.id, kind, at)
  }
  if (changeCents < 0) {
    const lost = Math.min(-changeCents, lot.lost_cents)
    await reverseLot(tx, lot, 'restored', { reversed: changeCents + lost, lost: -lost }, at)
    await restoreBonus(tx, order.id, returnedCents, at)
  }
}

/**
 * Revokes the purchases paid by a top-up, latest first, until the loss is covered. If the whole top-up was reversed,
 * revokes all of them.
 */
async function revokePurchases(tx: Tx, topUp: OrderRow, isFullyReversed: boolean, at: Date): Promise<void> {
  for (const id of await selectPurchasesPaidByTopUp(tx, topUp.id)) {
    const lost = (await lockPaidLot(tx, topUp.id))?.lost_cents ?? 0
    if (lost === 0 && !isFullyReversed) return
    await revokePurchase(tx, id, topUp.id, at)
  }
}

/**
 * Refunds the rest of a purchase to the balance, with all consequences. Sends no mail, because the money does not
 * remain in the balance. Also completes a refund of the purchase that is in progress.
 */
async function revokePurchase(tx: Tx, orderId: string, topUpId: string, at: Date): Promise<void> {
  const order = await selectOrder(tx, orderId)
  const [attempt] = await selectAttempts(tx, [orderId])
  if (!order || !isPayableFromBalance(order) || !attempt) throw new Error(`order ${orderId} is no purchase`)
  await insertRemainingRefund(tx, order, attempt, topUpId, at)
  for (const { id, amount_cents: cents, reason } of await selectRefunds(tx, attempt.id)) {
    if (!(await finishRefund(tx, id, 'succeeded'))) continue
    await refundToBalance(tx, order, { id, cents }, at, 'chargeback')
    await auditPayment(tx, 'order_refunded', order, at, { refund_cents: cents, reason })
  }
  await syncOrderStatus(tx, { order, attempt, source: `sales:${order.kind}`, at })
}

/** Stores a refund of the part of a purchase that is neither refunded nor being refunded. */
async function insertRemainingRefund(
  tx: Tx,
  { id: orderId, amount_cents }: BalancePurchase,
  { id: attempt_id }: AttemptRow,
  topUpId: string,
  at: Date,
): Promise<void> {
  const cents = amount_cents - sumOfRefunds(await selectRefunds(tx, attempt_id))
  if (cents === 0) return
  const id = newId('ref')
  await insertRefund(tx, {
    id,
    attempt_id,
    ...refundKey('chargeback', topUpId, orderId, id),
    amount_cents: cents,
    reason: 'chargeback',
    status: 'started',
    next_poll_at: null,
    created_at: at,
  })
}

/** Sums the refunds that are completed or in progress. */
const sumOfRefunds = (refunds: readonly RefundRow[]) =>
  refunds.reduce((sum, { status, amount_cents }) => sum + (status === 'failed' ? 0 : amount_cents), 0)
