import { sql } from 'kysely'
import { preparedQuery, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'

/** A video that a viewer has started, and the videos that the viewer watched just before. */
interface StartedVideo {
  videoId: string
  earlier: string[]
}

/** SQL condition: true if the queue of started videos is not empty. */
export const anyStartedVideos = 'EXISTS (SELECT FROM started_videos)'

/**
 * Removes a batch of started videos from the queue and returns it. Several processes may call it concurrently; each
 * waits for the others. SKIP LOCKED would avoid the wait, but needs a lock of each row, which is written to the WAL. If
 * a guest has signed in since, the starts count for the account.
 */
export async function dequeueStartedVideos(
  tx: Tx,
  { limit, before }: { limit: number; before: number },
): Promise<StartedVideo[]> {
  const { rows } = await sql<StartedVideo>`
    WITH taken AS (
      DELETE FROM started_videos WHERE id = ANY(ARRAY(
        SELECT id FROM started_videos ORDER BY id LIMIT ${limit}
      )) RETURNING user_id, video_id
    ), begun AS (
      SELECT coalesce(users.merged_into, taken.user_id) AS user_id, taken.video_id
      FROM taken LEFT JOIN users ON users.id = taken.user_id
    )
    SELECT begun.video_id AS "videoId", ARRAY(
      SELECT own.video_id FROM watch_history own
      WHERE own.user_id = begun.user_id AND NOT own.removed AND own.video_id <> begun.video_id
        AND own.at < (SELECT at FROM watch_history WHERE watch_history.user_id = begun.user_id AND watch_history.video_id = begun.video_id)
      ORDER BY own.at DESC, own.video_id LIMIT ${before}
    ) AS earlier
    FROM begun`.execute(tx)
  return rows
}

const recentlyWatched = preparedQuery(
  (db: Db, { userId, limit }: Placeholders<{ userId: string; limit: number }>) =>
    db
      .selectFrom('watch_history')
      .select('video_id')
      .where('user_id', '=', userId)
      .where(sql<boolean>`NOT removed`)
      .orderBy('at', 'desc')
      .orderBy('video_id')
      .limit(limit),
)

/** Selects the videos that a viewer watched last, newest first. */
export async function selectRecentlyWatched(db: Db, userId: string, limit: number): Promise<string[]> {
  const rows = await recentlyWatched(db, { userId, limit })
  return rows.map(({ video_id }) => video_id)
}
