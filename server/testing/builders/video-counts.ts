import type { Db } from '#server/tables.ts'

/** Returns a video's stored counters; later changes are added by `aggregatePlays` and `aggregateFavorites`. */
export function countsOf(db: Db, videoId: string): Promise<{ play_count: number; favorite_count: number }> {
  return db
    .selectFrom('videos')
    .select(['play_count', 'favorite_count'])
    .where('id', '=', videoId)
    .executeTakeFirstOrThrow()
}
