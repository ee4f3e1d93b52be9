import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { deleteFavorites } from '#server/features/library/favorite-queries.ts'
import { deleteEpisodeViews } from '#server/features/library/episode-view-queries.ts'
import { deleteHistory, anonymizePlays, revokeUserEntitlements } from './personal-data-queries.ts'

/**
 * Deletes a user's history, episode views, favorites and unlocks. Plays remain counted, but without the user.
 * Entitlements are revoked but not deleted, because their orders remain in the ledger.
 */
export async function eraseLibrary(tx: Tx, userId: string, now: Date): Promise<void> {
  await deleteHistory(tx, userId)
  await deleteEpisodeViews(tx, userId)
  await deleteFavorites(tx, userId)
  await anonymizePlays(tx, userId, newId('usr'))
  await revokeUserEntitlements(tx, userId, now)
}
