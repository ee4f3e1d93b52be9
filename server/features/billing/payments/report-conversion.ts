import { queueConversion, type ConversionContext } from '#server/features/tracking/tracking.ts'
import type { Tx } from '#server/tables.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

/**
 * Queues a report about a paid order for the advertising platforms, if the buyer has consented. Renewals are not
 * reported, because no advertisement caused them.
 */
export async function reportConversion(
  context: ConversionContext,
  tx: Tx,
  order: OrderRow,
  now: Date,
): Promise<void> {
  if ((order.period_no ?? 0) > 0) return
  const { fbclid, ttclid, user_agent } = order.attribution
  await queueConversion(context, tx, {
    name: order.kind === 'plan' ? 'subscribe' : 'purchase',
    eventId: order.id,
    userId: order.user_id,
    email: order.email,
    amountCents: order.amount_cents,
    currency: order.currency,
    fbclid,
    ttclid,
    clickedAt: order.created_at,
    userAgent: user_agent,
    at: now,
  })
}
