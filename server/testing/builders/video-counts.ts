import type { Db } from '#server/tables.ts'

/**
 * Returns the counters in a video's row. They do not include changes that `aggregatePlays` and `aggregateFavorites`
 * have not added yet.
 */
export function countsOf(db: Db, videoId: string): Promise<{ play_count: number; favorite_count: number }> {
  return db
    .selectFrom('videos')
    .select(['play_count', 'favorite_count'])
    .where('id', '=', videoId)
    .executeTakeFirstOrThrow()
}
