import { sql } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import { preparedLookup, preparedQuery, type Placeholders } from '#server/platform/database/prepared-query.ts'
import { preparedPage, type PagePosition } from '#server/platform/database/prepared-page.ts'
import type { Db, Tx } from '#server/tables.ts'

export interface HistoryRow {
  user_id: string
  video_id: string
  episode_id: string
  position_ms: number
  at: Date
}

/**
 * Stores the position unless a later position or removal exists.
 * @returns the current entry; undefined if a later removal exists
 */
export async function upsertHistory(
  tx: Tx,
  row: HistoryRow,
): Promise<Omit<HistoryRow, 'user_id'> | undefined> {
  const [saved] = await upsertHistories(tx, [row])
  return saved ?? selectEntry(tx, row.user_id, row.video_id)
}

/**
 * Stores positions, in the order of their keys, unless a later position or removal exists. Skips episodes that do not
 * exist. Inserts a row into `started_videos` for each video that a viewer starts. A trigger cannot do this, because it
 * would also insert one for each entry that a merge moves to another user. The caller must have locked the users
 * against merging and deletion.
 * @returns the positions that were written
 */
export async function upsertHistories(
  tx: Tx,
  rows: readonly HistoryRow[],
): Promise<Omit<HistoryRow, 'user_id'>[]> {
  // In a row that already existed, xmax is the transaction that updates the row. In a new row, xmax is 0.
  const { rows: saved } = await sql<Omit<HistoryRow, 'user_id'>>`
    WITH latest AS (
      SELECT DISTINCT ON (user_id, video_id) user_id, video_id, episode_id, position_ms, at
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        AS given (user_id text, video_id text, episode_id text, position_ms integer, at timestamptz)
      WHERE (SELECT true FROM episodes WHERE episodes.id = given.episode_id AND episodes.video_id = given.video_id)
      ORDER BY user_id, video_id, at DESC
    ), saved AS (
      INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at)
      SELECT user_id, video_id, episode_id, position_ms, at FROM latest ORDER BY user_id, video_id
      ON CONFLICT (user_id, video_id) DO UPDATE
      SET episode_id = excluded.episode_id, position_ms = excluded.position_ms, at = excluded.at, removed = false
      WHERE watch_history.at < excluded.at
      RETURNING user_id, video_id, episode_id, position_ms, at, xmax = 0 AS begun
    ), noted AS (
      INSERT INTO started_videos (user_id, video_id) SELECT user_id, video_id FROM saved WHERE begun
    )
    SELECT video_id, episode_id, position_ms, at FROM saved`.execute(tx)
  return saved
}

function selectEntry(db: Db, userId: string, videoId: string) {
  return db
    .selectFrom('watch_history')
    .select(['video_id', 'episode_id', 'position_ms', 'at'])
    .where('user_id', '=', userId)
    .where('video_id', '=', videoId)
    .where(sql<boolean>`NOT removed`)
    .executeTakeFirst()
}

/** Selects the video that a user watched last. */
export async function selectLastWatchedVideo(db: Db, userId: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('watch_history')
    .select('video_id')
    .where('user_id', '=', userId)
    .where(sql<boolean>`NOT removed`)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.video_id
}

/** Selects when a user last watched a video or added a favorite; undefined if never. */
export async function selectLastActivity(tx: Tx, userId: string): Promise<Date | undefined> {
  const { rows } = await sql<{ at: Date | null }>`
    SELECT greatest((SELECT max(at) FROM watch_history WHERE user_id = ${userId}),
      (SELECT max(favorited_at) FROM favorites WHERE user_id = ${userId})) AS at`.execute(tx)
  return rows[0]?.at ?? undefined
}

const viewing = preparedLookup(
  (db: Db, { userId, videoId }: Placeholders<{ userId: string; videoId: string }>) =>
    db
      .selectFrom('users')
      .leftJoin('watch_history', (join) =>
        join.onRef('watch_history.user_id', '=', 'users.id').on('watch_history.video_id', '=', videoId),
      )
      .leftJoin('episodes', 'episodes.id', 'watch_history.episode_id')
      .select([
        'users.time_zone',
        'watch_history.video_id',
        'watch_history.episode_id',
        'watch_history.position_ms',
        'watch_history.at',
        'watch_history.removed',
        'episodes.number',
      ])
      .where('users.id', '=', userId),
)

/** What is stored about a viewer and a video: the user's time zone, and the history entry. */
export interface StoredViewing {
  timeZone: string | null
  entry: (Omit<HistoryRow, 'user_id'> & { removed: boolean; number: number }) | undefined
}

/** Selects what is stored about a viewer and a video; undefined if the viewer has no row. */
export async function selectViewing(
  db: Db,
  userId: string,
  videoId: string,
): Promise<StoredViewing | undefined> {
  const [row] = await viewing(db, { userId, videoId })
  if (!row) return undefined
  const { time_zone: timeZone, video_id, episode_id, position_ms, at, removed, number } = row
  const isStarted =
    video_id !== null &&
    episode_id !== null &&
    position_ms !== null &&
    at !== null &&
    removed !== null &&
    number !== null
  return {
    timeZone,
    entry: isStarted ? { video_id, episode_id, position_ms, at, removed, number } : undefined,
  }
}

/**
 * Marks entries as removed, except those watched after the removal (`at`). An existing tombstone gets the time of this
 * removal, because a position from the time between the two removals may still be pending. Locks the rows in a fixed
 * order.
 * @returns how many entries and tombstones there were, and how many entries were removed
 */
export async function markRemoved(
  tx: Tx,
  userId: string,
  videoIds: readonly string[],
  at: Date,
): Promise<{ found: number; removed: number }> {
  const { rows } = await sql<{ found: number; removed: number }>`
    WITH due AS (
      SELECT user_id, video_id, NOT removed AS listed FROM watch_history
      WHERE user_id = ${userId} AND video_id = ANY(${videoIds}) AND at <= ${at}
      ORDER BY video_id FOR UPDATE
    ), marked AS (
      UPDATE watch_history SET removed = true, at = ${at} FROM due
      WHERE watch_history.user_id = due.user_id AND watch_history.video_id = due.video_id
    )
    SELECT count(*)::int AS found, count(*) FILTER (WHERE listed)::int AS removed FROM due`.execute(tx)
  return rows[0] ?? { found: 0, removed: 0 }
}

/**
 * Inserts tombstones for videos without a history entry. Another process may still buffer the first position, which is
 * from before the removal. The tombstone has the video's first episode, because the episode of that position is
 * unknown.
 * @returns how many were inserted
 */
export async function insertTombstones(
  tx: Tx,
  userId: string,
  videoIds: readonly string[],
  at: Date,
): Promise<number> {
  // ON CONFLICT is needed because another transaction may insert a position at the same time.
  const { numAffectedRows } = await sql`
    INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at, removed)
    SELECT ${userId}, given.video_id, first_episode.id, 0, ${at}::timestamptz, true
    FROM (SELECT DISTINCT unnest(${videoIds}::text[]) AS video_id) given
    CROSS JOIN LATERAL (
      SELECT id FROM episodes WHERE episodes.video_id = given.video_id ORDER BY number LIMIT 1
    ) first_episode
    WHERE NOT EXISTS (
      SELECT FROM watch_history own WHERE own.user_id = ${userId} AND own.video_id = given.video_id
    )
    ORDER BY given.video_id
    ON CONFLICT (user_id, video_id) DO UPDATE SET removed = true, at = excluded.at
    WHERE watch_history.at <= excluded.at`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

export type TombstoneKey = Pick<HistoryRow, 'user_id' | 'video_id'>

/**
 * Reads the next `limit` tombstones after a key, and deletes those from before the time `before`. They are read in the
 * order of the primary key: an index with their time would have to change with each save of a position.
 * @returns the last key that was read; undefined if no further tombstones follow
 */
export async function deleteTombstones(
  tx: Tx,
  { before, after, limit }: { before: Date; after: TombstoneKey | undefined; limit: number },
): Promise<TombstoneKey | undefined> {
  // A save may bring an entry back at this moment, so the conditions are checked again on the row to be deleted.
  const { rows } = await sql<TombstoneKey>`
    WITH page AS (
      SELECT user_id, video_id, at FROM watch_history
      WHERE removed AND (user_id, video_id) > (${after?.user_id ?? ''}, ${after?.video_id ?? ''})
      ORDER BY user_id, video_id LIMIT ${limit}
    ), deleted AS (
      DELETE FROM watch_history USING page
      WHERE watch_history.user_id = page.user_id AND watch_history.video_id = page.video_id AND page.at < ${before}
        AND watch_history.removed AND watch_history.at < ${before}
    )
    SELECT user_id, video_id FROM page ORDER BY user_id, video_id OFFSET ${limit - 1}`.execute(tx)
  return rows[0]
}

/** A watched or unlocked video, with its current episode. */
export interface HistoryListRow {
  video_id: string
  episode_id: string
  position_ms: number
  at: Date
  source?: 'purchase' | 'subscription'
  number: number
  titles: Partial<LocalizedText>
  duration_ms: number | null
  /** The number of the next playable episode, for a watched video; null after the last one. */
  next_number?: number | null
}

/**
 * Selects the watched videos, newest first, each with its current episode. There is no index for this order, because
 * every save would have to change it. Only the rows of the page are joined.
 */
export const selectWatched = preparedPage((db: Db, { userId, limit, isAfterPosition }) =>
  db
    .selectFrom((from) =>
      from
        .selectFrom('watch_history')
        .select(['video_id', 'episode_id', 'position_ms', 'at'])
        .where('user_id', '=', userId)
        .where(sql<boolean>`NOT removed`)
        .where(isAfterPosition('at', 'video_id'))
        .orderBy('at', 'desc')
        .orderBy('video_id')
        .limit(limit)
        .as('page'),
    )
    .innerJoin('episodes', 'episodes.id', 'page.episode_id')
    .leftJoin('assets', 'assets.id', 'episodes.asset_id')
    .select([
      'page.video_id',
      'page.episode_id',
      'page.position_ms',
      'page.at',
      'episodes.number',
      'episodes.titles',
      'assets.duration_ms',
      (eb) =>
        eb
          .selectFrom('episodes as later')
          .select('later.number')
          .whereRef('later.video_id', '=', 'page.video_id')
          .whereRef('later.number', '>', 'episodes.number')
          .where('later.asset_id', 'is not', null)
          .orderBy('later.number')
          .limit(1)
          .as('next_number'),
    ])
    .orderBy('page.at', 'desc')
    .orderBy('page.video_id'),
)

interface UnlockedParams {
  userId: string
  now: Date
  at: string | null
  id: string | null
  limit: number
}

const unlocked = preparedQuery(
  (_: Db, { userId, now, at, id, limit }: Placeholders<UnlockedParams>) => sql<HistoryListRow>`
    WITH unlocked AS (
      SELECT video_id, episode_id, source, starts_at AS at FROM entitlements
      WHERE user_id = ${userId} AND revoked_at IS NULL AND hidden_at IS NULL
        AND source = 'purchase' AND video_id IS NOT NULL
        AND starts_at <= ${now} AND (ends_at IS NULL OR ends_at > ${now})
      UNION ALL
      SELECT video_id, episode_id, 'subscription', unlocked_at FROM unlocks
      WHERE user_id = ${userId} AND EXISTS (
        SELECT FROM entitlements WHERE user_id = ${userId} AND video_id IS NULL AND revoked_at IS NULL
          AND starts_at <= ${now} AND (ends_at IS NULL OR ends_at > ${now})
      )
    ), latest AS (
      SELECT DISTINCT ON (video_id) * FROM unlocked ORDER BY video_id, at DESC, episode_id
    ), page AS (
      SELECT * FROM latest
      WHERE ${at}::timestamptz IS NULL OR at < ${at} OR (at = ${at} AND video_id > ${id})
      ORDER BY at DESC, video_id LIMIT ${limit}
    )
    SELECT page.video_id, episodes.id AS episode_id, page.at, page.source, episodes.number, episodes.titles,
      assets.duration_ms, coalesce(watch_history.position_ms, 0) AS position_ms
    FROM page
    JOIN LATERAL (
      SELECT * FROM episodes
      WHERE episodes.video_id = page.video_id AND (episodes.id = page.episode_id OR page.episode_id IS NULL)
      ORDER BY number LIMIT 1
    ) episodes ON true
    LEFT JOIN assets ON assets.id = episodes.asset_id
    LEFT JOIN watch_history ON watch_history.user_id = ${userId} AND watch_history.video_id = page.video_id
      AND watch_history.episode_id = episodes.id AND NOT watch_history.removed
    ORDER BY page.at DESC, page.video_id`,
)

/**
 * Selects the unlocked videos, newest first. Each video is listed once, with the episode that was bought or opened
 * last. If the whole video was bought last, it is listed with its first episode. A user has few purchases and unlocks,
 * so they need no index for this order.
 */
export function selectUnlocked(
  db: Db,
  userId: string,
  now: Date,
  after: PagePosition | undefined,
  limit: number,
): Promise<HistoryListRow[]> {
  const { at = null, id = null } = after ?? {}
  return unlocked(db, { userId, now, at, id, limit })
}
