import type { Tx } from '#server/tables.ts'
import { selectAttempt } from './attempt-queries.ts'
import { auditPayment } from './audit-payment.ts'
import type { BillingContext } from './billing-context.ts'
import { syncOrderStatus } from './sync-order-status.ts'
import { enterRefund, sourceOf, type Returned } from './ledger.ts'
import { selectOrder } from './order-queries.ts'
import type { RefundRow } from './refund-queries.ts'
import { sendRefundMail } from './send-refund-mail.ts'

/** An attempt whose money is in the books, for what goes back of it. */
export async function loadReturned(tx: Tx, attemptId: string, at: Date): Promise<Returned | undefined> {
  const attempt = await selectAttempt(tx, attemptId)
  const order = attempt && (await selectOrder(tx, attempt.order_id))
  const source = await sourceOf(tx, attemptId)
  return attempt && order && source && { order, attempt, source, at }
}

/** Enters a refund that was made in the books, of a sale with all that follows from it. */
export async function bookRefund(
  context: BillingContext,
  tx: Tx,
  returned: Returned,
  { id, amount_cents: cents, reason }: Pick<RefundRow, 'id' | 'amount_cents' | 'reason'>,
): Promise<void> {
  await enterRefund(tx, returned, { id, cents })
  // What bought nothing was audited as it was noted, and the order has nothing to do with it.
  if (returned.source === 'to_return') return
  await auditPayment(tx, 'order_refunded', returned.order, returned.at, { refund_cents: cents, reason })
  const order = await syncOrderStatus(tx, returned)
  await sendRefundMail(context, tx, order, cents)
}
