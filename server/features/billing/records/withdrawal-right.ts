import { dayMs } from '#server/platform/clock.ts'
import type { OrderRow } from './order-queries.ts'

const withdrawalMs = 14 * dayMs

/**
 * Returns the deadline for withdrawing from an order: 14 days from its payment, unless the user asked for immediate delivery
 * and acknowledged the consequences. A renewal is no new contract, and of a top-up nothing is delivered until it is spent.
 * @returns null if there never was such a right
 */
export function withdrawalDeadline({
  kind,
  paid_at,
  period_no,
  consent,
}: Pick<OrderRow, 'kind' | 'paid_at' | 'period_no' | 'consent'>): Date | null {
  const renewal = (period_no ?? 0) > 0
  if (!paid_at || renewal || (consent?.immediate_delivery && kind !== 'top_up')) return null
  return new Date(paid_at.getTime() + withdrawalMs)
}

/** Returns whether a user may withdraw from a paid order now, and money is left to refund. */
export function canBeWithdrawn(
  order: Pick<OrderRow, 'kind' | 'paid_at' | 'period_no' | 'consent' | 'status' | 'withdrawn_at'>,
  now: Date,
): boolean {
  const until = withdrawalDeadline(order)
  const isPaid = order.status === 'paid' || order.status === 'partially_refunded'
  return isPaid && order.withdrawn_at === null && until !== null && now <= until
}
