import { Refusal } from '#contract/errors.ts'
import type { Tx } from '#server/tables.ts'
import { countFavorites, deleteFavorites, insertFavorite } from './favorite-queries.ts'

/**
 * Makes a video a favorite; a second time changes nothing, not even its place in the list. One that was archived meanwhile
 * stays a favorite but cannot become one.
 * @returns the count as this viewer sees it: what a job has aggregated, and their own that it has not
 * @throws Refusal notFound for a video that is unknown or may not be seen
 */
export async function addFavorite(tx: Tx, userId: string, videoId: string, now: Date) {
  if (!(await insertFavorite(tx, userId, videoId, now))) throw new Refusal('notFound')
  return { video_id: videoId, favorite: true, favorite_count: await countFavorites(tx, userId, videoId) }
}

/** Removes videos from the favorites. @returns how many were among them */
export async function removeFavorites(
  tx: Tx,
  userId: string,
  videoIds: readonly string[],
): Promise<{ removed: number }> {
  return { removed: await deleteFavorites(tx, userId, videoIds) }
}
