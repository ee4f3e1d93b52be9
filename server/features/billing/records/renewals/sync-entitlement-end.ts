import { moveEntitlementEnd } from '#server/features/library/library.ts'
import type { Tx } from '#server/tables.ts'
import { activeUntil, type SubscriptionState } from './active-subscription.ts'
import { selectOrderOfPeriod } from './renewal-queries.ts'

/**
 * Sets the end of a subscription's current entitlement to the time until which the subscription is active, including
 * the grace period.
 */
export async function syncEntitlementEnd(
  tx: Tx,
  subscription: SubscriptionState & { id: string; period_no: number },
): Promise<void> {
  const end = activeUntil(subscription)
  const order = end && (await selectOrderOfPeriod(tx, subscription.id, subscription.period_no))
  if (end && order) await moveEntitlementEnd(tx, order.id, end)
}
