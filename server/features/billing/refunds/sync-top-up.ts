import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { isPurchase, returnPurchase, type Purchase } from '#server/features/billing/balance/balance.ts'
import { selectPurchasesOf } from '#server/features/billing/balance/lot-queries.ts'
import {
  closeBonus,
  paidLotOf,
  reopenBonus,
  takeBack,
} from '#server/features/billing/balance/returned-top-up.ts'
import { sourceOf } from '#server/features/billing/ledger/ledger.ts'
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
 * Has the balance follow what refunds, also those under way, and disputes take of a top-up's payment. They take what is
 * unspent; a dispute then takes what the top-up bought, the latest purchase first; the rest is a loss. The bonus goes with the
 * paid money. The balance is never below zero. Money that comes back is in the balance again. The person is locked; any number of times.
 */
export async function syncTopUp(tx: Tx, attemptId: string, at: Date): Promise<void> {
  const attempt = await selectAttempt(tx, attemptId)
  const order = attempt && (await selectOrder(tx, attempt.order_id))
  // A second payment of the same top-up bought nothing.
  const isTopUp = order?.kind === 'top_up' && (await sourceOf(tx, attemptId)) === 'deferred_revenue'
  const lot = isTopUp ? await paidLotOf(tx, order.id) : undefined
  if (!attempt || !order || !lot) return
  const gone = sumOfRefunds(await selectRefunds(tx, attemptId)) + attempt.disputed_cents
  const more = gone - lot.taken_cents - lot.lost_cents
  if (more > 0) {
    const taken = Math.min(more, lot.left_cents)
    const kind = attempt.disputed_cents > 0 ? 'chargeback' : 'top_up_refund'
    await takeBack(tx, lot, kind, { taken, lost: more - taken }, at)
    if (attempt.disputed_cents > 0) await takePurchases(tx, order, gone >= order.amount_cents, at)
    await closeBonus(tx, order.id, kind, at)
  }
  if (more < 0) {
    const lost = Math.min(-more, lot.lost_cents)
    await takeBack(tx, lot, 'restored', { taken: more + lost, lost: -lost }, at)
    await reopenBonus(tx, order.id, gone, at)
  }
}

/** Takes purchases back, the latest first, until the loss is made good; all of them where the whole top-up is gone. */
async function takePurchases(tx: Tx, topUp: OrderRow, whole: boolean, at: Date): Promise<void> {
  for (const id of await selectPurchasesOf(tx, topUp.id)) {
    const lost = (await paidLotOf(tx, topUp.id))?.lost_cents ?? 0
    if (lost === 0 && !whole) return
    await takePurchase(tx, id, topUp.id, at)
  }
}

/**
 * Refunds what is left of a purchase to the balance, with all that follows, and without a mail: the money does not stay there. A refund
 * of it that is under way is done with that.
 */
async function takePurchase(tx: Tx, orderId: string, topUpId: string, at: Date): Promise<void> {
  const order = await selectOrder(tx, orderId)
  const [attempt] = await selectAttempts(tx, [orderId])
  if (!order || !isPurchase(order) || !attempt) throw new Error(`order ${orderId} is no purchase`)
  await insertRest(tx, order, attempt, topUpId, at)
  for (const { id, amount_cents: cents, reason } of await selectRefunds(tx, attempt.id)) {
    if (!(await finishRefund(tx, id, 'succeeded'))) continue
    await returnPurchase(tx, order, { id, cents }, at, 'chargeback')
    await auditPayment(tx, 'order_refunded', order, at, { refund_cents: cents, reason })
  }
  await syncOrderStatus(tx, { order, attempt, source: `sales:${order.kind}`, at })
}

/** Notes a refund of what has not gone back of a purchase and is not under way. */
async function insertRest(
  tx: Tx,
  { id: orderId, amount_cents }: Purchase,
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
    check_at: null,
    created_at: at,
  })
}

/** What has gone back or is under way. */
const sumOfRefunds = (refunds: readonly RefundRow[]) =>
  refunds.reduce((sum, { status, amount_cents }) => sum + (status === 'failed' ? 0 : amount_cents), 0)
