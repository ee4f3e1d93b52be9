import type { Tx } from '#server/tables.ts'
import { selectAttempt } from '#server/features/billing/records/attempt-queries.ts'
import { auditPayment } from '#server/features/billing/records/audit-payment.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { isPayableFromBalance, refundToBalance } from '#server/features/billing/balance/balance.ts'
import { syncOrderStatus } from './sync-order-status.ts'
import { syncTopUp } from './sync-top-up.ts'
import { enterRefund, sourceAccountOf, type LedgerPayment } from '#server/features/billing/ledger/ledger.ts'
import { selectOrder } from '#server/features/billing/records/order-queries.ts'
import type { RefundRow } from '#server/features/billing/records/refund-queries.ts'
import { sendRefundMail } from '#server/features/billing/mails/send-refund-mail.ts'

/**
 * Loads the ledger's data of an attempt, to book its refunds and disputes. Returns undefined if its payment is not in
 * the ledger.
 */
export async function loadLedgerPayment(
  tx: Tx,
  attemptId: string,
  at: Date,
): Promise<LedgerPayment | undefined> {
  const attempt = await selectAttempt(tx, attemptId)
  const order = attempt && (await selectOrder(tx, attempt.order_id))
  const source = await sourceAccountOf(tx, attemptId)
  return attempt && order && source && { order, attempt, source, at }
}

/**
 * Books a completed refund in the ledger. If the payment was a sale, also writes the audit event, updates the order and
 * its top-up, and sends a mail.
 */
export async function bookRefund(
  context: BillingContext,
  tx: Tx,
  ledgerPayment: LedgerPayment,
  { id, amount_cents: cents, reason }: Pick<RefundRow, 'id' | 'amount_cents' | 'reason'>,
): Promise<void> {
  const { order: paidOrder, attempt, at } = ledgerPayment
  if (attempt.gateway === 'balance' && isPayableFromBalance(paidOrder))
    await refundToBalance(tx, paidOrder, { id, cents }, at)
  else await enterRefund(tx, ledgerPayment, { id, cents })
  // A payment that bought nothing was audited when it was booked, and its refund does not affect the order.
  if (ledgerPayment.source === 'refunds_payable') return
  await auditPayment(tx, 'order_refunded', ledgerPayment.order, ledgerPayment.at, {
    refund_cents: cents,
    reason,
  })
  const order = await syncOrderStatus(tx, ledgerPayment)
  await syncTopUp(tx, attempt.id, at)
  await sendRefundMail(context, tx, order, cents)
}
