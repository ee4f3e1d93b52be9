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
 * Moves all records of a guest to the member. If both have a record of the same video or episode, one record remains.
 * Of positions and unlocks, this is the later one. Of favorites, it is the member's. One play per half hour and one
 * view per episode remain. All entitlements remain. Merging again changes nothing.
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
