import { sql } from 'kysely'
import { appendPlayCountChanges } from '#server/features/library/counts/count-queries.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { HistoryRow } from './history-queries.ts'

/**
 * Updates positions in existing history entries. After a sign-in, a guest's position is written for the member. Skips
 * deleted accounts and videos without a history entry. Keeps a later position or removal.
 * Does not lock the entries first, because each lock is written to the WAL. So two transactions may deadlock. If this
 * happens in the transaction that writes all buffers together, its lock timeout ends the wait before PostgreSQL detects
 * a deadlock. Then each buffer is written in a transaction of its own, which `inTransaction` repeats after a deadlock.
 * @returns the positions that were written
 */
export async function updatePositions(tx: Tx, rows: readonly HistoryRow[]): Promise<HistoryRow[]> {
  // The order of the keys makes deadlocks rare, because PostgreSQL updates in this order if it uses the index.
  const { rows: saved } = await sql<HistoryRow>`
    WITH latest AS (
      SELECT DISTINCT ON (owner, given.video_id) coalesce(merged_into, given.user_id) AS owner, given.video_id, given.episode_id,
        given.position_ms, given.at
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS given (user_id text, video_id text, episode_id text, position_ms integer, at timestamptz)
      JOIN users ON users.id = given.user_id
      JOIN episodes ON episodes.id = given.episode_id AND episodes.video_id = given.video_id
      WHERE deleted_at IS NULL
      ORDER BY owner, given.video_id, given.at DESC
    )
    UPDATE watch_history SET episode_id = latest.episode_id, position_ms = latest.position_ms, at = latest.at, removed = false
    FROM latest WHERE watch_history.user_id = owner AND watch_history.video_id = latest.video_id AND watch_history.at < latest.at
    RETURNING watch_history.user_id, watch_history.video_id, watch_history.episode_id, watch_history.position_ms, watch_history.at`.execute(
    tx,
  )
  return saved
}

/**
 * What an insert does if another transaction inserts the same row at the same time. It always waits until that
 * transaction ends. `wait`: it then skips or updates the row. `fail`: it then fails with a conflict. With `wait`, each
 * row takes 48 more bytes of WAL, so a write that is repeated after a failure uses `fail`.
 */
export type InsertRace = 'wait' | 'fail'

export interface PlayRow {
  user_id: string
  episode_id: string
  video_id: string
  half_hour: Date
}

/**
 * Locks the accounts that own the records of these users: the users themselves or, after a guest's sign-in, the member.
 * Accounts locked by another transaction are skipped without waiting. Deleted accounts are listed in `deletedUserIds`.
 */
export async function lockOwners(
  tx: Tx,
  userIds: readonly string[],
): Promise<{ owners: Map<string, string>; deletedUserIds: Set<string> }> {
  const { rows } = await sql<{ id: string; merged_into: string | null; deleted: boolean }>`
    SELECT id, merged_into, deleted_at IS NOT NULL AS deleted FROM users WHERE id = ANY(${userIds})
    ORDER BY id FOR KEY SHARE SKIP LOCKED`.execute(tx)
  const memberIds = rows.flatMap(({ merged_into }) => merged_into ?? [])
  const members =
    memberIds.length > 0
      ? await lockOwners(tx, memberIds)
      : { owners: new Map<string, string>(), deletedUserIds: new Set<string>() }
  const owners = new Map<string, string>()
  const deletedUserIds = new Set<string>()
  for (const { id, merged_into, deleted } of rows) {
    const owner = merged_into === null ? id : members.owners.get(merged_into)
    if (deleted || (merged_into !== null && members.deletedUserIds.has(merged_into))) deletedUserIds.add(id)
    else if (owner !== undefined) owners.set(id, owner)
  }
  return { owners, deletedUserIds }
}

/**
 * Inserts plays, each once per viewer, episode and half hour, and counts the new plays. In a database without the table
 * `play_count_changes` (the schema of the previous release), a job counts them later.
 * @param race what happens if another transaction inserts the same play at this moment
 * @returns the new plays
 */
export async function insertPlays(
  tx: Tx,
  plays: readonly PlayRow[],
  race: InsertRace = 'wait',
): Promise<PlayRow[]> {
  const { rows } = await sql<PlayRow & { aggregated: boolean }>`
    INSERT INTO plays (user_id, episode_id, video_id, half_hour, aggregated)
    SELECT DISTINCT user_id, episode_id, video_id, half_hour, to_regclass('play_count_changes') IS NOT NULL
    FROM jsonb_to_recordset(${JSON.stringify(plays)}::jsonb)
      AS given (user_id text, episode_id text, video_id text, half_hour timestamptz)
    WHERE NOT EXISTS (
      SELECT FROM plays known WHERE known.user_id = given.user_id AND known.episode_id = given.episode_id
        AND known.half_hour = given.half_hour
    )
    ORDER BY user_id, episode_id, half_hour
    ${race === 'wait' ? sql`ON CONFLICT DO NOTHING` : sql``}
    RETURNING user_id, episode_id, video_id, half_hour, aggregated`.execute(tx)
  const counted = Map.groupBy(
    rows.filter(({ aggregated }) => aggregated),
    ({ video_id }) => video_id,
  )
  await appendPlayCountChanges(tx, new Map([...counted].map(([id, { length }]) => [id, length])))
  return rows
}

export interface EpisodeViewRow {
  user_id: string
  episode_id: string
  finished: boolean
}

/**
 * Records that viewers have started or finished episodes. Skips what is already recorded. The users must be locked
 * against merging and deletion.
 * @param race what happens if another transaction records the same view at this moment
 */
export async function recordEpisodeViews(
  tx: Tx,
  views: readonly EpisodeViewRow[],
  race: InsertRace = 'wait',
): Promise<void> {
  // Known rows are updated, because an insert with a conflict would also write a lock of each row to the WAL. The
  // subquery of `compared` reads each known row by its key. For a join, the planner could choose a scan of the table.
  // In a row that existed, xmax is the transaction that updates the row. In a new row, xmax is 0.
  const finishExisting = sql`
    ON CONFLICT (user_id, episode_id) DO UPDATE SET finished = true WHERE excluded.finished AND NOT existing.finished`
  await sql`
    WITH given AS (
      SELECT user_id, episode_id, bool_or(finished) AS finished FROM jsonb_to_recordset(${JSON.stringify(views)}::jsonb)
        AS given (user_id text, episode_id text, finished boolean)
      GROUP BY user_id, episode_id ORDER BY user_id, episode_id
    ), compared AS (
      SELECT given.*, (
        SELECT finished FROM episode_views AS known
        WHERE known.user_id = given.user_id AND known.episode_id = given.episode_id
      ) AS was_finished FROM given
    ), updated AS (
      UPDATE episode_views AS existing SET finished = true FROM compared
      WHERE existing.user_id = compared.user_id AND existing.episode_id = compared.episode_id
        AND compared.finished AND NOT was_finished AND NOT existing.finished
      RETURNING existing.episode_id
    ), added AS (
      INSERT INTO episode_views AS existing (user_id, episode_id, finished)
      SELECT user_id, episode_id, finished FROM compared WHERE was_finished IS NULL
      ${race === 'wait' ? finishExisting : sql``}
      RETURNING episode_id, xmax = 0 AS started, finished
    ), noted AS (
      SELECT episode_id, false AS started, true AS finished FROM updated UNION ALL SELECT * FROM added
    )
    INSERT INTO episode_viewer_changes (episode_id, started, finished)
    SELECT episode_id, sum(started::int), sum(finished::int) FROM noted GROUP BY episode_id`.execute(tx)
}

export interface UnlockRow {
  user_id: string
  video_id: string
  episode_id: string
  unlocked_at: Date
}

/** Records, for each video, the latest episode that a subscription opened. Deleted episodes are skipped. */
export async function upsertUnlocks(tx: Tx, unlocks: readonly UnlockRow[]): Promise<void> {
  await sql`
    INSERT INTO unlocks (user_id, video_id, episode_id, unlocked_at)
    SELECT DISTINCT ON (given.user_id, given.video_id) given.user_id, given.video_id, given.episode_id, given.unlocked_at
    FROM jsonb_to_recordset(${JSON.stringify(unlocks)}::jsonb)
      AS given (user_id text, video_id text, episode_id text, unlocked_at timestamptz)
    WHERE (SELECT true FROM episodes WHERE episodes.id = given.episode_id)
    ORDER BY given.user_id, given.video_id, given.unlocked_at DESC
    ON CONFLICT (user_id, video_id) DO UPDATE SET episode_id = excluded.episode_id, unlocked_at = excluded.unlocked_at`.execute(
    tx,
  )
}

/**
 * Finds the positions that were neither written nor superseded by later ones, although their account exists. Either a
 * merge is in progress, or the history entry was deleted.
 */
export async function findUnwrittenPositions<Row extends HistoryRow>(
  db: Db,
  rows: readonly Row[],
): Promise<Row[]> {
  const { rows: missing } = await sql<{ user_id: string; video_id: string }>`
    SELECT given.user_id, given.video_id
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS given (user_id text, video_id text, at timestamptz)
    JOIN users ON users.id = given.user_id
    WHERE deleted_at IS NULL AND NOT EXISTS (
      SELECT FROM watch_history WHERE watch_history.user_id = coalesce(merged_into, given.user_id) AND watch_history.video_id = given.video_id
        AND watch_history.at >= given.at
    )`.execute(db)
  const keys = new Set(missing.map(({ user_id, video_id }) => `${user_id} ${video_id}`))
  return rows.filter(({ user_id, video_id }) => keys.has(`${user_id} ${video_id}`))
}
