import { dayMs, hourMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { lockOrderOwner } from '#server/features/billing/records/order-queries.ts'
import { scheduleRefund, sendPendingRefunds } from './send-pending-refunds.ts'
import { syncRefundsAndDisputes } from './sync-refunds-and-disputes.ts'
import {
  selectUnwantedPayments,
  selectUnwantedPaymentsOfOrder,
  type UnwantedPaymentRow,
} from './unwanted-payment-queries.ts'

/** Delays before the retries of a failed refund. After the last retry, an operator must resolve it. */
const retryDelaysMs = [hourMs, dayMs, 3 * dayMs, 7 * dayMs]

/** Maximum number of automatic refund attempts for a payment that bought nothing. */
export const maxRefundTries = retryDelaysMs.length + 1

/**
 * Returns key parts that distinguish the next refund from the failed one. With the same key, the gateway would repeat
 * its earlier answer.
 */
export const nextRefundKeyParts = ({ failed }: UnwantedPaymentRow) => ['try', failed + 1] as const

/**
 * Retries failed refunds of payments that bought nothing, with increasing delays. A repeated failure does not stop the
 * other refunds.
 */
export async function retryUnwantedPaymentRefunds(context: BillingContext): Promise<void> {
  for (const row of await selectUnwantedPayments(context.db)) {
    if (!isDue(row, context.clock.now())) continue
    await refundUnwantedPayment(context, row).catch((error: unknown) =>
      context.log.error(
        { err: error, attempt: row.attempt_id },
        'a payment that bought nothing could not be refunded',
      ),
    )
  }
}

function isDue({ failed, failed_at }: UnwantedPaymentRow, now: Date): boolean {
  if (failed === 0 || failed_at === null) return true
  const retryDelayMs = retryDelaysMs[failed - 1]
  return retryDelayMs !== undefined && failed_at.getTime() + retryDelayMs <= now.getTime()
}

/**
 * Refunds an order's payments that bought nothing, immediately and even after the last automatic retry.
 * @returns whether all of them are refunded
 */
export async function refundUnwantedPayments(context: BillingContext, orderId: string): Promise<boolean> {
  for (const row of await selectUnwantedPaymentsOfOrder(context.db, orderId))
    await refundUnwantedPayment(context, row)
  return (await selectUnwantedPaymentsOfOrder(context.db, orderId)).length === 0
}

async function refundUnwantedPayment(
  context: BillingContext,
  { attempt_id, order_id }: UnwantedPaymentRow,
): Promise<void> {
  const { db, clock, gateways, log } = context
  // The payment may have been refunded at the gateway in the meantime.
  if (!(await syncRefundsAndDisputes(context, attempt_id))) return
  await inTransaction(db, async (tx) => {
    await lockOrderOwner(tx, order_id)
    const row = (await selectUnwantedPaymentsOfOrder(tx, order_id)).find(
      (one) => one.attempt_id === attempt_id,
    )
    if (!row || !gateways.some(({ id }) => id === row.gateway)) return
    const { cents, failed, reason } = row
    log.warn({ attempt: attempt_id, failed }, 'the refund of a payment that bought nothing is retried')
    await scheduleRefund(tx, {
      attemptId: attempt_id,
      keyParts: nextRefundKeyParts(row),
      cents,
      reason: reason ?? 'late_payment',
      now: clock.now(),
    })
  })
  await sendPendingRefunds(context, attempt_id)
}
