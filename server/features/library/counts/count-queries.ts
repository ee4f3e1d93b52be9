import { sql } from 'kysely'
import { addToCounters } from '#server/platform/database/add-to-counters.ts'
import type { Db, Tx } from '#server/tables.ts'

/** SQL condition: there are plays to count. */
export const anyPlays = 'EXISTS (SELECT FROM plays WHERE NOT aggregated)'

/** SQL condition: there are changes of favorites to count. */
export const anyFavorites = 'EXISTS (SELECT FROM favorite_changes)'

/**
 * Adds a batch of uncounted plays to the counts of their videos. Several processes may run it concurrently.
 * @returns how many plays were counted
 */
export async function aggregatePlayBatch(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<{ video_id: string; plays: number }>`
    WITH batch AS (
      SELECT user_id, episode_id, half_hour FROM plays WHERE NOT aggregated LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), marked AS (
      UPDATE plays SET aggregated = true FROM batch
      WHERE plays.user_id = batch.user_id AND plays.episode_id = batch.episode_id AND plays.half_hour = batch.half_hour
      RETURNING plays.video_id
    )
    SELECT video_id, count(*)::int AS plays FROM marked GROUP BY video_id`.execute(tx)
  const plays = new Map(rows.map((row) => [row.video_id, row.plays]))
  await addToCounters(tx, 'videos', 'play_count', plays)
  return rows.reduce((sum, row) => sum + row.plays, 0)
}

/**
 * Adds a batch of favorite changes to the counts of their videos. Several processes may run it concurrently.
 * @returns how many changes were counted
 */
export async function aggregateFavoriteBatch(tx: Tx, limit: number): Promise<number> {
  const { rows } = await sql<{ video_id: string; change: number; changes: number }>`
    WITH batch AS (
      DELETE FROM favorite_changes WHERE id = ANY(ARRAY(
        SELECT id FROM favorite_changes ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING video_id, change
    )
    SELECT video_id, sum(change)::int AS change, count(*)::int AS changes FROM batch GROUP BY video_id`.execute(
    tx,
  )
  const changed = rows.filter(({ change }) => change !== 0)
  await addToCounters(
    tx,
    'videos',
    'favorite_count',
    new Map(changed.map((row) => [row.video_id, row.change])),
  )
  return rows.reduce((sum, { changes }) => sum + changes, 0)
}

/** Deletes a batch of counted plays whose half hour began before `before`. @returns how many were deleted */
export async function deletePlays(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    WITH due AS (
      SELECT user_id, episode_id, half_hour FROM plays WHERE aggregated AND half_hour < ${before}
      ORDER BY half_hour LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM plays USING due
    WHERE plays.user_id = due.user_id AND plays.episode_id = due.episode_id AND plays.half_hour = due.half_hour`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
