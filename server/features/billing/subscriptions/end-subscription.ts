import { moveEntitlementEnd } from '#server/features/library/library.ts'
import type { Tx } from '#server/tables.ts'
import { selectAttempts } from '#server/features/billing/records/attempt-queries.ts'
import { isInProgress } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { queueUnusedMethodsDetach } from '#server/features/billing/records/method-queries.ts'
import { transitionOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import {
  selectOrderOfPeriod,
  selectPlannedOrder,
  selectSubscriptionForRenewal,
  type RenewalRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { transitionSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'
import { sendSubscriptionMail } from '#server/features/billing/mails/send-subscription-mail.ts'

/**
 * Ends a subscription. Unpaid periods are not charged any more (no arrears). The payment method is deleted, unless it
 * is saved for purchases. Paid periods remain valid until their end.
 */
export async function endSubscription(tx: Tx, row: RenewalRow, now: Date): Promise<void> {
  const { id, status, period_no, period_ends_at, grace_ends_at, cancel_at_period_end: cancelled } = row
  const currentOrder = await selectOrderOfPeriod(tx, id, period_no)
  const accessEndsAt = status === 'past_due' ? grace_ends_at : period_ends_at
  await transitionSubscription(tx, id, 'ended', { ended_at: now })
  await queueUnusedMethodsDetach(tx, row.user_id, now)
  if (currentOrder && accessEndsAt) await moveEntitlementEnd(tx, currentOrder.id, accessEndsAt)
  await closePendingOrder(
    tx,
    await selectOrderOfPeriod(tx, id, period_no + 1),
    cancelled ? 'cancelled' : 'failed',
  )
  await closePendingOrder(tx, await selectPlannedOrder(tx, id), 'cancelled')
}

/**
 * Ends a live subscription immediately, because the payment of a period was refunded or disputed. Other paid periods
 * remain valid until their end.
 */
export async function endSubscriptionNow(tx: Tx, id: string, now: Date): Promise<void> {
  const row = await selectSubscriptionForRenewal(tx, id)
  if (row?.status !== 'active' && row?.status !== 'past_due') return
  await endSubscription(tx, { ...row, cancel_at_period_end: true }, now)
}

async function closePendingOrder(
  tx: Tx,
  order: OrderRow | undefined,
  to: 'failed' | 'cancelled',
): Promise<void> {
  if (order?.status === 'pending') await transitionOrder(tx, order.id, to)
}

/**
 * Ends a subscription that could not be renewed, and sends a mail unless the subscription was cancelled. If a payment
 * is in progress, the mail says that it may still succeed.
 */
export async function endUnpaidSubscription(
  context: Pick<BillingContext, 'publicUrl' | 'languages'>,
  tx: Tx,
  row: RenewalRow,
  now: Date,
): Promise<void> {
  await endSubscription(tx, row, now)
  const currentOrder = await selectOrderOfPeriod(tx, row.id, row.period_no)
  if (!currentOrder || row.cancel_at_period_end) return
  const unpaidOrder = await selectOrderOfPeriod(tx, row.id, row.period_no + 1)
  const attempts = unpaidOrder ? await selectAttempts(tx, [unpaidOrder.id]) : []
  const isPending = attempts.some(({ status }) => isInProgress(status))
  await sendSubscriptionMail(tx, context, isPending ? 'subscriptionEndedPending' : 'subscriptionEnded', {
    to: row.email ?? currentOrder.email,
    language: row.language,
    timeZone: row.time_zone,
    plan: row,
    cents: unpaidOrder?.amount_cents ?? row.price_cents,
    currency: unpaidOrder?.currency ?? row.currency,
    orderId: currentOrder.id,
    date: now,
  })
}
