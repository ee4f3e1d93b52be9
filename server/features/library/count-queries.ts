import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/** A play counts once per viewer, episode and half hour. @returns whether this one was the first */
export async function insertPlay(
  tx: Tx,
  play: { user_id: string; episode_id: string; video_id: string; half_hour: Date },
): Promise<boolean> {
  const result = await tx
    .insertInto('plays')
    .values(play)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows) > 0
}

/*
 * Several processes may fold at once: each takes other rows, and they lock the videos they add to in the order of their ids,
 * so that none waits for another in a circle.
 */

/** Adds a batch of plays that are not yet counted to their videos. @returns how many plays were counted */
export async function foldPlayBatch(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    WITH batch AS (
      SELECT user_id, episode_id, half_hour, video_id FROM plays WHERE NOT folded LIMIT ${most} FOR UPDATE SKIP LOCKED
    ), marked AS (
      UPDATE plays SET folded = true FROM batch
      WHERE plays.user_id = batch.user_id AND plays.episode_id = batch.episode_id AND plays.half_hour = batch.half_hour
      RETURNING plays.video_id
    ), counts AS (
      SELECT video_id, count(*) AS plays FROM marked GROUP BY video_id
    ), due AS (
      SELECT videos.id, counts.plays FROM videos JOIN counts ON counts.video_id = videos.id
      ORDER BY videos.id FOR NO KEY UPDATE OF videos
    ), added AS (
      UPDATE videos SET play_count = play_count + due.plays FROM due WHERE videos.id = due.id
    )
    SELECT coalesce(sum(plays), 0)::int AS folded FROM counts`.execute(db)
  return rows[0]?.folded ?? 0
}

/** Adds a batch of favorites that came and went to their videos. @returns how many changes were folded */
export async function foldFavoriteBatch(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    WITH batch AS (
      DELETE FROM favorite_changes WHERE id = ANY(ARRAY(
        SELECT id FROM favorite_changes ORDER BY id LIMIT ${most} FOR UPDATE SKIP LOCKED
      )) RETURNING video_id, change
    ), counts AS (
      SELECT video_id, sum(change) AS change, count(*) AS changes FROM batch GROUP BY video_id
    ), due AS (
      SELECT videos.id, counts.change FROM videos JOIN counts ON counts.video_id = videos.id
      WHERE counts.change <> 0 ORDER BY videos.id FOR NO KEY UPDATE OF videos
    ), added AS (
      UPDATE videos SET favorite_count = favorite_count + due.change FROM due WHERE videos.id = due.id
    )
    SELECT coalesce(sum(changes), 0)::int AS folded FROM counts`.execute(db)
  return rows[0]?.folded ?? 0
}

/** Deletes a batch of counted plays of half hours before `before`. @returns how many */
export async function deletePlays(db: Db, before: Date, most: number): Promise<number> {
  const { numAffectedRows } = await sql`
    WITH due AS (
      SELECT user_id, episode_id, half_hour FROM plays WHERE folded AND half_hour < ${before}
      ORDER BY half_hour LIMIT ${most} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM plays USING due
    WHERE plays.user_id = due.user_id AND plays.episode_id = due.episode_id AND plays.half_hour = due.half_hour`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
