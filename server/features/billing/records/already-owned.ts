import { loadVideoEntitlements } from '#server/features/library/library.ts'
import type { Db } from '#server/tables.ts'
import type { OrderRow } from './order-queries.ts'
import { selectActiveSubscription } from './renewals/subscription-queries.ts'

type ProductOrder = Pick<OrderRow, 'user_id' | 'kind' | 'video_id' | 'episode_id'> &
  Partial<Pick<OrderRow, 'subscription_id' | 'period_no'>>

interface Payability {
  now: Date
  /** True if the order was restored from its payment. It may then pay for any period that the subscription lacks. */
  isRestored: boolean
}

/**
 * Returns whether the buyer already owns the product of an order. For an episode or a video, an entitlement must cover
 * it. For a plan, the buyer must have an active subscription, unless the order pays for a period that this subscription
 * lacks.
 */
export async function isAlreadyOwned(
  db: Db,
  order: ProductOrder,
  { now, isRestored }: Payability,
): Promise<boolean> {
  // A top-up can always be bought.
  if (order.kind === 'top_up') return false
  if (order.kind === 'plan' || order.video_id === null) {
    // Another order has since paid for the period of this restored order.
    if (isRestored && order.subscription_id && order.period_no === null) return true
    const live = await selectActiveSubscription(db, order.user_id, now)
    if (!live) return false
    return live.id !== order.subscription_id || !isMissingPeriod(order, live.period_no, isRestored)
  }
  const rights = await loadVideoEntitlements(db, order.user_id, order.video_id, now)
  // No episode has an empty id, so this is true only for an entitlement to the whole video.
  return rights.covers(order.episode_id ?? '')
}

/**
 * Returns whether an order pays for a period that its subscription lacks: the next period, or any lost one. Lost
 * periods may be restored in any order.
 */
function isMissingPeriod({ period_no }: ProductOrder, current: number, isRestored: boolean): boolean {
  if (period_no === current + 1) return true
  return isRestored && typeof period_no === 'number' && period_no !== current
}
