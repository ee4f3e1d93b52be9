import type { Db } from '#server/tables.ts'

/** A video's counters as they are stored; what is saved since is added by `aggregatePlays` and `aggregateFavorites`. */
export function countsOf(db: Db, videoId: string): Promise<{ play_count: number; favorite_count: number }> {
  return db
    .selectFrom('videos')
    .select(['play_count', 'favorite_count'])
    .where('id', '=', videoId)
    .executeTakeFirstOrThrow()
}
