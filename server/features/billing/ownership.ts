import { loadRights } from '#server/features/library/library.ts'
import type { Db } from '#server/tables.ts'
import type { OrderRow } from './order-queries.ts'
import { selectLiveSubscription } from './subscription-queries.ts'

/**
 * Whether the buyer has already what an order is for: an entitlement that covers it, or for a plan a live subscription
 * (there is one per person).
 */
export async function isOwned(
  db: Db,
  order: Pick<OrderRow, 'user_id' | 'kind' | 'video_id' | 'episode_id'>,
  now: Date,
): Promise<boolean> {
  if (order.kind === 'plan' || order.video_id === null)
    return (await selectLiveSubscription(db, order.user_id, now)) !== undefined
  const rights = await loadRights(db, order.user_id, order.video_id, now)
  // No episode has the empty id: only what covers the whole video covers it.
  return rights.covers(order.episode_id ?? '')
}
