import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

export interface HistoryRow {
  user_id: string
  video_id: string
  episode_id: string
  position_ms: number
  at: Date
}

/** Keeps the position unless a later one is there already. */
export async function upsertHistory(tx: Tx, row: HistoryRow): Promise<void> {
  await tx
    .insertInto('history')
    .values(row)
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'video_id'])
        .doUpdateSet({ episode_id: row.episode_id, position_ms: row.position_ms, at: row.at })
        .where('history.at', '<', row.at),
    )
    .execute()
}

export function selectHistoryEntry(db: Db, userId: string, videoId: string) {
  return db
    .selectFrom('history')
    .selectAll()
    .where('user_id', '=', userId)
    .where('video_id', '=', videoId)
    .executeTakeFirst()
}

export async function isFavorite(db: Db, userId: string, videoId: string): Promise<boolean> {
  const row = await db
    .selectFrom('favorites')
    .select('video_id')
    .where('user_id', '=', userId)
    .where('video_id', '=', videoId)
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteHistory(tx: Tx, userId: string, videoIds: readonly string[]): Promise<number> {
  const result = await tx
    .deleteFrom('history')
    .where('user_id', '=', userId)
    .where('video_id', 'in', videoIds)
    .executeTakeFirst()
  return Number(result.numDeletedRows)
}

/** A play counts once per viewer, episode and half hour. */
export async function insertPlay(
  tx: Tx,
  play: { user_id: string; episode_id: string; video_id: string; half_hour: Date },
): Promise<void> {
  await tx
    .insertInto('plays')
    .values(play)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Adds the plays that are not yet counted to their videos, a batch of rows at a time; several processes may run it.
 * @returns how many plays were counted
 */
export async function foldPlayBatch(db: Db, most: number): Promise<number> {
  const { rows } = await sql<{ folded: number }>`
    WITH batch AS (
      SELECT user_id, episode_id, half_hour, video_id FROM plays WHERE NOT folded LIMIT ${most} FOR UPDATE SKIP LOCKED
    ), marked AS (
      UPDATE plays SET folded = true FROM batch
      WHERE plays.user_id = batch.user_id AND plays.episode_id = batch.episode_id AND plays.half_hour = batch.half_hour
      RETURNING plays.video_id
    ), counts AS (
      SELECT video_id, count(*) AS plays FROM marked GROUP BY video_id ORDER BY video_id
    ), added AS (
      UPDATE videos SET play_count = play_count + counts.plays FROM counts WHERE videos.id = counts.video_id
    )
    SELECT coalesce(sum(plays), 0)::int AS folded FROM counts`.execute(db)
  return rows[0]?.folded ?? 0
}

interface After {
  at: string
  id: string
}

/** What was watched, newest first, with the episode each entry stands at. */
export function selectWatched(db: Db, userId: string, after: After | undefined, limit: number) {
  return db
    .selectFrom('history')
    .innerJoin('episodes', 'episodes.id', 'history.episode_id')
    .leftJoin('assets', 'assets.id', 'episodes.asset_id')
    .select([
      'history.video_id',
      'history.episode_id',
      'history.position_ms',
      'history.at',
      'episodes.number',
      'episodes.titles',
      'assets.duration_ms',
    ])
    .where('history.user_id', '=', userId)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`history.at <= ${after?.at} AND (history.at < ${after?.at} OR history.video_id > ${after?.id})`,
      ),
    )
    .orderBy('history.at', 'desc')
    .orderBy('history.video_id')
    .limit(limit)
    .execute()
}

/** What was bought, newest first: each purchase with its episode, or the video's first. */
export function selectPurchased(db: Db, userId: string, after: After | undefined, limit: number) {
  return db
    .selectFrom('entitlements')
    .innerJoin('episodes', (join) =>
      join.on(
        sql<boolean>`episodes.id = entitlements.episode_id
          OR (entitlements.episode_id IS NULL AND episodes.video_id = entitlements.video_id AND episodes.number = 1)`,
      ),
    )
    .leftJoin('assets', 'assets.id', 'episodes.asset_id')
    .select([
      'entitlements.id',
      'entitlements.source',
      'entitlements.starts_at',
      'episodes.video_id',
      'episodes.id as episode_id',
      'episodes.number',
      'episodes.titles',
      'assets.duration_ms',
    ])
    .where('entitlements.user_id', '=', userId)
    .where('entitlements.revoked_at', 'is', null)
    .where('entitlements.video_id', 'is not', null)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`entitlements.starts_at <= ${after?.at} AND (entitlements.starts_at < ${after?.at} OR entitlements.id > ${after?.id})`,
      ),
    )
    .orderBy('entitlements.starts_at', 'desc')
    .orderBy('entitlements.id')
    .limit(limit)
    .execute()
}

export function selectEpisode(db: Db, id: string) {
  return db
    .selectFrom('episodes')
    .select(['id', 'video_id', 'number'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Every entitlement that holds now and touches this video: to an episode of it, to all of it, or to everything. */
export function selectEntitlements(db: Db, userId: string, videoId: string, now: Date) {
  return db
    .selectFrom('entitlements')
    .selectAll()
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('video_id', '=', videoId), eb('video_id', 'is', null)]))
    .where('revoked_at', 'is', null)
    .where('starts_at', '<=', now)
    .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)]))
    .execute()
}

export async function insertEntitlement(tx: Tx, row: EntitlementRow): Promise<void> {
  await tx
    .insertInto('entitlements')
    .values({ ...row, revoked_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export interface EntitlementRow {
  id: string
  user_id: string
  order_id: string
  source: 'purchase' | 'subscription'
  video_id: string | null
  episode_id: string | null
  starts_at: Date
  ends_at: Date | null
}
