import { loadVideoEntitlements } from '#server/features/library/library.ts'
import type { Db } from '#server/tables.ts'
import type { OrderRow } from './order-queries.ts'
import { selectActiveSubscription } from './renewals/subscription-queries.ts'

type ProductOrder = Pick<OrderRow, 'user_id' | 'kind' | 'video_id' | 'episode_id'> &
  Partial<Pick<OrderRow, 'subscription_id' | 'period_no' | 'restored_at'>>

/**
 * Returns whether the buyer already owns the product of an order. For an episode or a video, an entitlement must cover
 * it. For a plan, the buyer must have a live subscription, unless the order pays for a period that it lacks.
 */
export async function isAlreadyOwned(db: Db, order: ProductOrder, now: Date): Promise<boolean> {
  // A top-up can always be bought.
  if (order.kind === 'top_up') return false
  if (order.kind === 'plan' || order.video_id === null) {
    const live = await selectActiveSubscription(db, order.user_id, now)
    return (
      live !== undefined && !(live.id === order.subscription_id && isMissingPeriod(order, live.period_no))
    )
  }
  const rights = await loadVideoEntitlements(db, order.user_id, order.video_id, now)
  // No episode has an empty id, so this is true only for an entitlement to the whole video.
  return rights.covers(order.episode_id ?? '')
}

/**
 * Returns whether an order pays for a period that its subscription lacks: the next one, or any other period that was
 * lost. Lost periods may be restored in any order.
 */
function isMissingPeriod({ period_no, restored_at }: ProductOrder, current: number): boolean {
  if (period_no === current + 1) return true
  return Boolean(restored_at) && typeof period_no === 'number' && period_no !== current
}
