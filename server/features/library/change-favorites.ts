import { Refusal } from '#contract/errors.ts'
import type { Tx } from '#server/tables.ts'
import { countFavorites, deleteFavorites, insertFavorite } from './favorite-queries.ts'

/**
 * Adds a video to the favorites. Adding it again changes nothing, not even its position in the list. An archived video
 * remains a favorite but cannot be added.
 * @returns the count as this viewer sees it: the aggregated count plus the viewer's own pending change
 * @throws Refusal notFound for a video that does not exist or is not visible
 */
export async function addFavorite(tx: Tx, userId: string, videoId: string, now: Date) {
  if (!(await insertFavorite(tx, userId, videoId, now))) throw new Refusal('notFound')
  return { video_id: videoId, favorite: true, favorite_count: await countFavorites(tx, userId, videoId) }
}

/**
 * Removes videos from the favorites.
 * @returns how many were removed
 */
export async function removeFavorites(
  tx: Tx,
  userId: string,
  videoIds: readonly string[],
): Promise<{ removed: number }> {
  return { removed: await deleteFavorites(tx, userId, videoIds) }
}
