import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { selectAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { auditPayment } from '#server/features/billing/records/audit-payment.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { bookRefund, loadLedgerPayment } from './book-refund.ts'
import { requestRefund } from '#server/features/billing/gateways/call-gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import { syncTopUp } from './sync-top-up.ts'
import { lockOrderOwner } from '#server/features/billing/records/order-queries.ts'
import { finishRefund, type RefundRow } from '#server/features/billing/records/refund-queries.ts'

/**
 * Sends a stored refund to the gateway. Then books the refund and its consequences for the order in one transaction.
 * Concurrent calls are safe, because the idempotency key prevents a second refund.
 * @returns `done`, `refused` (permanently), or `unknown` if the janitor has to retry it
 */
export async function sendRefund(
  context: BillingContext,
  refund: RefundRow,
): Promise<'done' | 'refused' | 'unknown'> {
  const { db, log } = context
  const attempt = await selectAttempt(db, refund.attempt_id)
  // The site itself holds balances, so no gateway is called.
  if (attempt?.gateway === 'balance') return finishSentRefund(context, attempt, refund, 'done')
  const gateway = findGateway(context, attempt?.gateway)
  if (!attempt?.reference || !gateway) {
    log.error({ refund: refund.id }, 'a refund cannot be sent without a payment reference and a gateway')
    return 'unknown'
  }
  const { reference } = attempt
  const result = await requestRefund(context, gateway, {
    reference,
    amountCents: refund.amount_cents,
    key: refund.idempotency_key,
  })
  return result === 'unknown' ? result : finishSentRefund(context, attempt, refund, result)
}

/** The transaction after the gateway call: stores the result, and books a completed refund. */
async function finishSentRefund<Result extends 'done' | 'refused'>(
  context: BillingContext,
  attempt: AttemptRow,
  refund: RefundRow,
  result: Result,
): Promise<Result> {
  const { db, clock } = context
  await inTransaction(db, async (tx) => {
    await lockOrderOwner(tx, attempt.order_id)
    if (!(await finishRefund(tx, refund.id, result === 'done' ? 'succeeded' : 'failed'))) return
    const ledgerPayment = await loadLedgerPayment(tx, attempt.id, clock.now())
    if (!ledgerPayment) throw new Error(`the payment of refund ${refund.id} is not in the ledger`)
    if (result === 'done') return bookRefund(context, tx, ledgerPayment, refund)
    const { order, at } = ledgerPayment
    await syncTopUp(tx, attempt.id, at)
    return auditPayment(tx, 'refund_failed', order, at, { refund_cents: refund.amount_cents })
  })
  return result
}
