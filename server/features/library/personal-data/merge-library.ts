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
 * Moves all records of a guest to the member. Of duplicates one remains: in the history the latest `at`, of favorites the member's
 * place, of plays one per episode and half hour, of episode views one per episode; every entitlement is kept. Repeating it changes
 * nothing.
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
