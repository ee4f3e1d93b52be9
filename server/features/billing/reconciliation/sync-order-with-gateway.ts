import { Refusal } from '#contract/errors.ts'
import { selectAttempts } from '#server/features/billing/records/attempt-queries.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectOrder } from '#server/features/billing/records/order-queries.ts'
import { compareAttempt } from './compare-payments.ts'
import { selectRefunds } from '#server/features/billing/records/refund-queries.ts'
import { refundUnwantedPayments } from '#server/features/billing/refunds/retry-unwanted-payment-refunds.ts'
import { sendPendingRefunds } from '#server/features/billing/refunds/send-pending-refunds.ts'
import { recheckAttempt } from '#server/features/billing/payments/settle-attempt.ts'
import type { OrderStatus } from '#server/features/billing/tables.ts'

/**
 * Syncs one order with its gateways, as the return page and the reconciliation do: queries its payments, settles the
 * differences and sends pending refunds.
 * @returns the resulting status of the order, and whether everything was settled (false if a gateway did not answer)
 * @throws Refusal notFound
 */
export async function syncOrderWithGateway(
  context: BillingContext,
  orderId: string,
): Promise<{ settled: boolean; status: OrderStatus }> {
  let settled = true
  for (const attempt of await selectAttempts(context.db, [orderId])) {
    if (isOpen(attempt.status)) await recheckAttempt(context, attempt)
    const isSynced = await compareAttempt(context, attempt.id)
    await sendPendingRefunds(context, attempt.id)
    const isRefundInProgress = (await selectRefunds(context.db, attempt.id)).some(
      ({ status }) => status === 'started',
    )
    settled = isSynced && !isRefundInProgress && settled
  }
  settled = (await refundUnwantedPayments(context, orderId)) && settled
  const order = await selectOrder(context.db, orderId)
  if (!order) throw new Refusal('notFound')
  return { settled, status: order.status }
}
