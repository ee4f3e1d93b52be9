import { dayMs } from '#server/platform/clock.ts'
import type { OrderRow } from './order-queries.ts'

const withdrawalMs = 14 * dayMs

/**
 * Returns the deadline for a withdrawal from an order: 14 days after payment. There is no right of withdrawal if the
 * user requested immediate delivery and acknowledged the loss of the right. A top-up keeps the right even then, because
 * nothing is delivered until the money is spent. A renewal is not a new contract, so it has no such right.
 * @returns null if the order never had the right
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

/**
 * Returns whether the user may withdraw from an order now. The order must be paid, not fully refunded, not withdrawn
 * yet, and within the deadline.
 */
export function canBeWithdrawn(
  order: Pick<OrderRow, 'kind' | 'paid_at' | 'period_no' | 'consent' | 'status' | 'withdrawn_at'>,
  now: Date,
): boolean {
  const until = withdrawalDeadline(order)
  const isPaid = order.status === 'paid' || order.status === 'partially_refunded'
  return isPaid && order.withdrawn_at === null && until !== null && now <= until
}
