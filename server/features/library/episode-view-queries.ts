import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Moves the guest's episode views to the member. If both have viewed an episode, one view remains and the episode's
 * viewer counts decrease.
 */
export async function mergeEpisodeViews(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await sql`
    WITH moved AS (
      DELETE FROM episode_views WHERE user_id = ${guestId} RETURNING episode_id, finished
    ), doubled AS (
      SELECT episode_id, moved.finished AND own.finished AS finished
      FROM moved JOIN episode_views own USING (episode_id) WHERE own.user_id = ${memberId}
    ), merged AS (
      INSERT INTO episode_views AS existing (user_id, episode_id, finished)
      SELECT ${memberId}, episode_id, finished FROM moved ORDER BY episode_id
      ON CONFLICT (user_id, episode_id) DO UPDATE SET finished = true WHERE excluded.finished AND NOT existing.finished
    )
    INSERT INTO episode_viewer_changes (episode_id, started, finished)
    SELECT episode_id, -1, -finished::int FROM doubled`.execute(tx)
}

/** Deletes a user's episode views. The viewer counts remain, because they contain no personal data. */
export async function deleteEpisodeViews(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('episode_views').where('user_id', '=', userId).execute()
}

/** SQL condition: true if there are changes of episode viewers to count. */
export const hasEpisodeViewerChanges = 'EXISTS (SELECT FROM episode_viewer_changes)'

/**
 * Adds a batch of changes to the viewer counts of their episodes, in the order of the episode ids.
 * @returns how many changes were added
 */
export async function aggregateEpisodeViewerBatch(db: Db, now: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ aggregated: number }>`
    WITH batch AS (
      DELETE FROM episode_viewer_changes WHERE id = ANY (ARRAY(
        SELECT id FROM episode_viewer_changes ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING episode_id, started, finished
    ), added AS (
      INSERT INTO episode_viewer_counts AS existing (episode_id, started, finished, since)
      SELECT episode_id, sum(batch.started), sum(batch.finished), ${now}
      FROM batch JOIN episodes ON episodes.id = batch.episode_id GROUP BY episode_id ORDER BY episode_id
      ON CONFLICT (episode_id) DO UPDATE
      SET started = existing.started + excluded.started, finished = existing.finished + excluded.finished
    )
    SELECT count(*)::int AS aggregated FROM batch`.execute(db)
  return rows[0]?.aggregated ?? 0
}

/** Viewer counts of an episode. */
interface EpisodeViewers {
  episode_id: string
  number: number
  started: number
  finished: number
  /** Time of the first count; null if no view has been counted. */
  since: Date | null
}

/** Loads a video's episodes after number `after`, in order, each with its viewer counts. */
export async function loadEpisodeViewers(
  db: Db,
  videoId: string,
  { after, limit }: { after: number; limit: number },
): Promise<EpisodeViewers[]> {
  const { rows } = await sql<EpisodeViewers>`
    SELECT episodes.id AS episode_id, number, coalesce(started, 0)::float8 AS started,
      coalesce(finished, 0)::float8 AS finished, since
    FROM episodes LEFT JOIN episode_viewer_counts ON episode_id = episodes.id
    WHERE video_id = ${videoId} AND number > ${after} ORDER BY number LIMIT ${limit}`.execute(db)
  return rows
}
