import type { Tx } from '#server/tables.ts'
import {
  mergeEntitlements,
  mergeFavorites,
  mergeHistory,
  mergePlays,
  mergeUnlocks,
} from './personal-data-queries.ts'
import { mergeViewings } from '#server/features/library/viewing-queries.ts'

/**
 * All that a guest kept becomes the member's, nothing lost and nothing doubled: of history the latest `at`, of favorites the
 * member's own place, of plays one for the same episode and half hour, of viewings one for an episode, and every entitlement. A second time changes nothing.
 */
export async function mergeLibrary(tx: Tx, guestId: string, memberId: string): Promise<void> {
  if (guestId === memberId) return
  await mergeHistory(tx, guestId, memberId)
  await mergeFavorites(tx, guestId, memberId)
  await mergePlays(tx, guestId, memberId)
  await mergeViewings(tx, guestId, memberId)
  await mergeUnlocks(tx, guestId, memberId)
  await mergeEntitlements(tx, guestId, memberId)
}
