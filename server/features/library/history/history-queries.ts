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
 * Stores the position unless a later position or removal exists. If the viewer starts the video, adds it to
 * `started_videos`. A trigger cannot do this, because it would also count rows that a merge moves to another user.
 * @returns the current entry; undefined if a later removal exists
 */
export async function upsertHistory(
  tx: Tx,
  row: HistoryRow,
): Promise<Omit<HistoryRow, 'user_id'> | undefined> {
  const { user_id, video_id, episode_id, position_ms, at } = row
  // In a row that existed, xmax is the transaction that updates it; in a new row it is 0.
  const { rows } = await sql<Omit<HistoryRow, 'user_id'>>`
    WITH saved AS (
      INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at)
      VALUES (${user_id}, ${video_id}, ${episode_id}, ${position_ms}, ${at})
      ON CONFLICT (user_id, video_id) DO UPDATE
      SET episode_id = excluded.episode_id, position_ms = excluded.position_ms, at = excluded.at, removed = false
      WHERE watch_history.at < excluded.at
      RETURNING user_id, video_id, episode_id, position_ms, at, xmax = 0 AS begun
    ), noted AS (
      INSERT INTO started_videos (user_id, video_id) SELECT user_id, video_id FROM saved WHERE begun
    )
    SELECT video_id, episode_id, position_ms, at FROM saved`.execute(tx)
  return rows[0] ?? selectEntry(tx, user_id, video_id)
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

const resume = preparedLookup(
  (db: Db, { userId, videoId }: Placeholders<{ userId: string; videoId: string }>) =>
    db
      .selectFrom('watch_history')
      .innerJoin('episodes', 'episodes.id', 'watch_history.episode_id')
      .select(['watch_history.episode_id', 'episodes.number', 'watch_history.position_ms'])
      .where('watch_history.user_id', '=', userId)
      .where('watch_history.video_id', '=', videoId)
      .where(sql<boolean>`NOT watch_history.removed`),
)

/** Selects a viewer's resume position in a video, with the episode's number. */
export async function selectResume(db: Db, userId: string, videoId: string) {
  return (await resume(db, { userId, videoId }))[0]
}

/**
 * Marks entries as removed, except those watched after the removal (`at`). An existing tombstone gets the time of this
 * removal, because a position from the time between the two removals may still be pending. Locks the rows in a fixed
 * order.
 * @returns how many were removed
 */
export async function markRemoved(
  tx: Tx,
  userId: string,
  videoIds: readonly string[],
  at: Date,
): Promise<number> {
  const { rows } = await sql<{ removed: number }>`
    WITH due AS (
      SELECT user_id, video_id, NOT removed AS listed FROM watch_history
      WHERE user_id = ${userId} AND video_id = ANY(${videoIds}) AND at <= ${at}
      ORDER BY video_id FOR UPDATE
    ), marked AS (
      UPDATE watch_history SET removed = true, at = ${at} FROM due
      WHERE watch_history.user_id = due.user_id AND watch_history.video_id = due.video_id
    )
    SELECT count(*) FILTER (WHERE listed)::int AS removed FROM due`.execute(tx)
  return rows[0]?.removed ?? 0
}

/** Deletes a batch of tombstones older than `before`. @returns how many were deleted */
export async function deleteTombstones(db: Db, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    WITH due AS (
      SELECT user_id, video_id FROM watch_history WHERE removed AND at < ${before}
      ORDER BY at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    DELETE FROM watch_history USING due WHERE watch_history.user_id = due.user_id AND watch_history.video_id = due.video_id`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
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
 * Selects the unlocked videos, newest first, each once with the episode that was bought or opened last (the first one
 * for a whole video). A user has few purchases and unlocks, so they need no index for this order.
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
