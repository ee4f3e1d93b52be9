import { sql } from 'kysely'
import { preparedLookup, type Placeholders } from '#server/platform/database/prepared-query.ts'
import { preparedPage } from '#server/platform/database/prepared-page.ts'
import type { Db, Tx } from '#server/tables.ts'

const favorite = preparedLookup(
  (db: Db, { userId, videoId }: Placeholders<{ userId: string; videoId: string }>) =>
    db
      .selectFrom('favorites')
      .select('video_id')
      .where('user_id', '=', userId)
      .where('video_id', '=', videoId),
)

export async function isFavorite(db: Db, userId: string, videoId: string): Promise<boolean> {
  return (await favorite(db, { userId, videoId })).length > 0
}

/**
 * Adds a published video to the favorites and records the change. An existing favorite, even of an archived video, is
 * locked until the end of the transaction, so that no other transaction can remove it.
 * @returns whether the video is a favorite now
 */
export async function insertFavorite(tx: Tx, userId: string, videoId: string, now: Date): Promise<boolean> {
  // In a row that already existed, xmax is the transaction that updates the row. In a new row, xmax is 0.
  const { rows } = await sql`
    WITH held AS (
      INSERT INTO favorites (user_id, video_id, favorited_at)
      SELECT ${userId}, id, ${now} FROM videos
      WHERE id = ${videoId} AND (
        state = 'published' OR EXISTS (SELECT FROM favorites WHERE user_id = ${userId} AND video_id = ${videoId})
      )
      ON CONFLICT (user_id, video_id) DO UPDATE SET favorited_at = favorites.favorited_at
      RETURNING user_id, video_id, xmax = 0 AS is_new
    ), noted AS (
      INSERT INTO favorite_changes (user_id, video_id, change) SELECT user_id, video_id, 1 FROM held WHERE is_new
    )
    SELECT video_id FROM held`.execute(tx)
  return rows.length > 0
}

/**
 * Deletes a user's favorites of these videos, or all favorites, and records the changes. Rows are locked in a fixed
 * order.
 * @returns how many were deleted
 */
export async function deleteFavorites(tx: Tx, userId: string, videoIds?: readonly string[]): Promise<number> {
  const chosen = videoIds ? sql`AND video_id = ANY(${videoIds})` : sql``
  const { numAffectedRows } = await sql`
    WITH gone AS (
      DELETE FROM favorites USING (
        SELECT user_id, video_id FROM favorites WHERE user_id = ${userId} ${chosen} ORDER BY video_id FOR UPDATE
      ) due
      WHERE favorites.user_id = due.user_id AND favorites.video_id = due.video_id
      RETURNING favorites.user_id, favorites.video_id
    )
    INSERT INTO favorite_changes (user_id, video_id, change) SELECT user_id, video_id, -1 FROM gone`.execute(
    tx,
  )
  return Number(numAffectedRows ?? 0)
}

/** Counts the favorites of a video as this user sees them: the aggregated count plus the user's own pending change. */
export async function countFavorites(db: Db, userId: string, videoId: string): Promise<number> {
  const row = await db
    .selectFrom('videos')
    .select((eb) => [
      'favorite_count',
      eb
        .selectFrom('favorite_changes')
        .select((changes) => sql<number>`coalesce(sum(${changes.ref('change')}), 0)::int`.as('own'))
        .where('user_id', '=', userId)
        .where('video_id', '=', videoId)
        .as('own'),
    ])
    .where('id', '=', videoId)
    .executeTakeFirst()
  return (row?.favorite_count ?? 0) + (row?.own ?? 0)
}

/** Selects the favorites of a user, latest first. */
export const selectFavorites = preparedPage((db: Db, { userId, limit, isAfterPosition }) =>
  db
    .selectFrom('favorites')
    .select(['video_id', 'favorited_at as at'])
    .where('user_id', '=', userId)
    .where(isAfterPosition('favorited_at', 'video_id'))
    .orderBy('favorited_at', 'desc')
    .orderBy('video_id')
    .limit(limit),
)
