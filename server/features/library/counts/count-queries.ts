import { sql } from 'kysely'
import { addToCounters } from '#server/platform/database/add-to-counters.ts'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Returns an SQL condition: true if there are plays to count. `hasChanges`: the table `play_count_changes` existed when
 * this process started. If the table is created later, the condition is always true.
 */
export const anyPlays = ({ hasChanges }: { hasChanges: boolean }) =>
  `EXISTS (SELECT FROM plays WHERE NOT aggregated)
    OR ${hasChanges ? 'EXISTS (SELECT FROM play_count_changes)' : "to_regclass('play_count_changes') IS NOT NULL"}`

/**
 * Returns whether the table `play_count_changes` exists. It is missing until the database is migrated, which may happen
 * while this release runs.
 */
export async function hasPlayCountChanges(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    SELECT to_regclass('play_count_changes') IS NOT NULL AS exists`.execute(db)
  return rows[0]?.exists === true
}

/** SQL condition: true if there are changes of favorites to count. */
export const anyFavorites = 'EXISTS (SELECT FROM favorite_changes)'

/**
 * Changes play counts, by video id. Appends the changes to `play_count_changes` if that table exists, because the plays
 * that a change subtracts may not be added to the counts yet.
 */
export async function changePlayCounts(tx: Tx, changes: ReadonlyMap<string, number>): Promise<void> {
  if (changes.size === 0) return
  if (await hasPlayCountChanges(tx)) await appendPlayCountChanges(tx, changes)
  else await addToCounters(tx, 'videos', 'play_count', changes)
}

/** Appends changes of play counts, by video id. Needs the table `play_count_changes`. */
export async function appendPlayCountChanges(tx: Tx, changes: ReadonlyMap<string, number>): Promise<void> {
  if (changes.size === 0) return
  const rows = [...changes].map(([video_id, change]) => ({ video_id, change }))
  await tx.insertInto('play_count_changes').values(rows).execute()
}

/**
 * Adds a batch of appended changes to the counts of their videos. Also adds plays that are not `aggregated`. A process
 * of the previous release inserted them, or the table `play_count_changes` did not exist when they were inserted.
 * Several processes may call it concurrently.
 * @returns how many rows of the larger batch were counted
 */
export async function aggregatePlayBatch(tx: Tx, limit: number): Promise<number> {
  const plays = await markPlays(tx, limit)
  const changes = (await hasPlayCountChanges(tx)) ? await dequeueChanges(tx, 'play_count_changes', limit) : []
  await addToCounters(tx, 'videos', 'play_count', sumByVideo([...plays, ...changes]))
  return Math.max(countRows(plays), countRows(changes))
}

/** The change of a video's count, and the number of rows that were summed up. */
interface VideoChange {
  video_id: string
  change: number
  rows: number
}

/** Sums up changes by video, and omits sums of zero. */
function sumByVideo(changes: readonly VideoChange[]): Map<string, number> {
  const sums = new Map<string, number>()
  for (const { video_id, change } of changes) sums.set(video_id, (sums.get(video_id) ?? 0) + change)
  return new Map([...sums].filter(([, change]) => change !== 0))
}

const countRows = (changes: readonly VideoChange[]) => changes.reduce((sum, { rows }) => sum + rows, 0)

async function markPlays(tx: Tx, limit: number): Promise<VideoChange[]> {
  const { rows } = await sql<VideoChange>`
    WITH batch AS (
      SELECT user_id, episode_id, half_hour FROM plays WHERE NOT aggregated LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), marked AS (
      UPDATE plays SET aggregated = true FROM batch
      WHERE plays.user_id = batch.user_id AND plays.episode_id = batch.episode_id AND plays.half_hour = batch.half_hour
      RETURNING plays.video_id
    )
    SELECT video_id, count(*)::int AS change, count(*)::int AS rows FROM marked GROUP BY video_id`.execute(tx)
  return rows
}

/** Deletes a batch of appended changes from their table, and sums them up by video. */
async function dequeueChanges(
  tx: Tx,
  table: 'play_count_changes' | 'favorite_changes',
  limit: number,
): Promise<VideoChange[]> {
  const changes = sql.table(table)
  const { rows } = await sql<VideoChange>`
    WITH batch AS (
      DELETE FROM ${changes} WHERE id = ANY(ARRAY(
        SELECT id FROM ${changes} ORDER BY id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING video_id, change
    )
    SELECT video_id, sum(change)::int AS change, count(*)::int AS rows FROM batch GROUP BY video_id`.execute(
    tx,
  )
  return rows
}

/**
 * Adds a batch of favorite changes to the counts of their videos. Several processes may call it concurrently.
 * @returns how many changes were counted
 */
export async function aggregateFavoriteBatch(tx: Tx, limit: number): Promise<number> {
  const changes = await dequeueChanges(tx, 'favorite_changes', limit)
  await addToCounters(tx, 'videos', 'favorite_count', sumByVideo(changes))
  return countRows(changes)
}

/**
 * Deletes a batch of counted plays whose half hour began before the time `before`.
 * @returns how many were deleted
 */
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
