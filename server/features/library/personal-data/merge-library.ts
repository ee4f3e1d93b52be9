import type { Tx } from '#server/tables.ts'
import {
  mergeEntitlements,
  mergeFavorites,
  mergeHistory,
  mergePlays,
  mergeUnlocks,
} from './personal-data-queries.ts'
import { mergeEpisodeViews } from '#server/features/library/episode-view-queries.ts'

/**
 * Moves all records of a guest to the member. Of two records of the same video or episode, one remains: the later
 * position, the member's favorite, the later unlock, one play per half hour, or one episode view. All entitlements
 * remain. Merging again changes nothing.
 */
export async function mergeLibrary(tx: Tx, guestId: string, memberId: string): Promise<void> {
  if (guestId === memberId) return
  await mergeHistory(tx, guestId, memberId)
  await mergeFavorites(tx, guestId, memberId)
  await mergePlays(tx, guestId, memberId)
  await mergeEpisodeViews(tx, guestId, memberId)
  await mergeUnlocks(tx, guestId, memberId)
  await mergeEntitlements(tx, guestId, memberId)
}
