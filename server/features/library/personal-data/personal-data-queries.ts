import { sql } from 'kysely'
import { changePlayCounts } from '#server/features/library/counts/count-queries.ts'
import { readInOrder } from '#server/platform/database/read-pages.ts'
import type { Db, Tx } from '#server/tables.ts'

/*
 * Each merge deletes a guest's rows and inserts them for the member in one statement, so that two concurrent merges
 * move them only once. A merge locks both users in `users`, and a change of one user's records locks that user
 * (`ensureUserRow`). So a merge and a change cannot deadlock.
 */

/**
 * Merges histories. If both users have an entry of a video, the one with the later `at` remains. The guest's tombstones
 * move too, so that a delayed save from before a removal restores nothing after the sign-in. A tombstone of the guest
 * does not remove an entry of the member.
 */
export async function mergeHistory(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await sql`
    WITH moved AS (DELETE FROM watch_history WHERE user_id = ${guestId} RETURNING *)
    INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at, removed)
    SELECT ${memberId}, video_id, episode_id, position_ms, at, removed FROM moved ORDER BY video_id
    ON CONFLICT (user_id, video_id) DO UPDATE
    SET episode_id = excluded.episode_id, position_ms = excluded.position_ms, at = excluded.at,
      removed = excluded.removed
    WHERE watch_history.at < excluded.at AND (watch_history.removed OR NOT excluded.removed)`.execute(tx)
}

/** Merges favorites. A favorite of both users counts once and keeps its position in the member's list. */
export async function mergeFavorites(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await sql`UPDATE favorite_changes SET user_id = ${memberId} WHERE user_id = ${guestId}`.execute(tx)
  await sql`
    WITH moved AS (
      DELETE FROM favorites WHERE user_id = ${guestId} RETURNING video_id, favorited_at
    ), added AS (
      INSERT INTO favorites (user_id, video_id, favorited_at)
      SELECT ${memberId}, video_id, favorited_at FROM moved ORDER BY video_id
      ON CONFLICT DO NOTHING
      RETURNING video_id
    )
    INSERT INTO favorite_changes (user_id, video_id, change)
    SELECT ${memberId}, video_id, -1 FROM moved WHERE video_id NOT IN (SELECT video_id FROM added)`.execute(
    tx,
  )
}

/**
 * Merges plays. Plays of both users in the same episode and half hour become one play. This play is marked as counted
 * if one of the two was. If both were counted, the video's play count decreases by one. The member's plays are locked
 * first, so that no process counts them at the same time.
 */
export async function mergePlays(tx: Tx, guestId: string, memberId: string): Promise<void> {
  const { rows } = await sql<{ video_id: string; plays: number }>`
    WITH moved AS (
      DELETE FROM plays WHERE user_id = ${guestId} RETURNING *
    ), own AS MATERIALIZED (
      SELECT plays.episode_id, plays.half_hour, plays.aggregated FROM plays JOIN moved USING (episode_id, half_hour)
      WHERE plays.user_id = ${memberId} FOR UPDATE OF plays
    ), merged AS (
      INSERT INTO plays (user_id, episode_id, half_hour, video_id, aggregated)
      SELECT ${memberId}, episode_id, half_hour, video_id, aggregated FROM moved ORDER BY episode_id, half_hour
      ON CONFLICT (user_id, episode_id, half_hour) DO UPDATE SET aggregated = plays.aggregated OR excluded.aggregated
    )
    SELECT video_id, count(*)::int AS plays FROM moved JOIN own USING (episode_id, half_hour)
    WHERE moved.aggregated AND own.aggregated GROUP BY video_id`.execute(tx)
  const duplicatePlays = new Map(rows.map((row) => [row.video_id, -row.plays]))
  await changePlayCounts(tx, duplicatePlays)
}

/** Merges unlocks. If both users have an unlock of a video, the later one remains. */
export async function mergeUnlocks(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await sql`
    WITH moved AS (DELETE FROM unlocks WHERE user_id = ${guestId} RETURNING *)
    INSERT INTO unlocks (user_id, video_id, episode_id, unlocked_at)
    SELECT ${memberId}, video_id, episode_id, unlocked_at FROM moved ORDER BY video_id
    ON CONFLICT (user_id, video_id) DO UPDATE
    SET episode_id = excluded.episode_id, unlocked_at = excluded.unlocked_at
    WHERE unlocks.unlocked_at < excluded.unlocked_at`.execute(tx)
}

/** Moves entitlements to the member. Entitlements are unique by order, so no conflicts are possible. */
export async function mergeEntitlements(tx: Tx, guestId: string, memberId: string): Promise<void> {
  await tx.updateTable('entitlements').set({ user_id: memberId }).where('user_id', '=', guestId).execute()
}

export async function deleteHistory(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('watch_history').where('user_id', '=', userId).execute()
  await tx.deleteFrom('unlocks').where('user_id', '=', userId).execute()
}

/**
 * Replaces the user's id with an anonymous id in the user's plays, and removes the user's id from favorite changes that
 * are not counted yet.
 */
export async function anonymizePlays(tx: Tx, userId: string, anonymousId: string): Promise<void> {
  await tx.updateTable('plays').set({ user_id: anonymousId }).where('user_id', '=', userId).execute()
  await tx.updateTable('favorite_changes').set({ user_id: null }).where('user_id', '=', userId).execute()
}

export async function revokeUserEntitlements(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('entitlements')
    .set({ revoked_at: now })
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute()
}

const englishTitle = sql<string>`videos.titles->>'en'`.as('title')

// The lists of an export. Each is read page by page, in the order of its immutable key.

export function readHistory(db: Db, userId: string) {
  const history = db
    .selectFrom('watch_history')
    .innerJoin('videos', 'videos.id', 'watch_history.video_id')
    .innerJoin('episodes', 'episodes.id', 'watch_history.episode_id')
    .select(['watch_history.video_id', englishTitle, 'episodes.number as episode', 'position_ms', 'at'])
    .where('watch_history.user_id', '=', userId)
    .where(sql<boolean>`NOT watch_history.removed`)
  return readInOrder(history, ['watch_history.video_id', (row) => row.video_id])
}

export function readFavorites(db: Db, userId: string) {
  const favorites = db
    .selectFrom('favorites')
    .innerJoin('videos', 'videos.id', 'favorites.video_id')
    .select(['favorites.video_id', englishTitle, 'favorited_at'])
    .where('user_id', '=', userId)
  return readInOrder(favorites, ['video_id', (row) => row.video_id])
}

export function readUnlocks(db: Db, userId: string) {
  const unlocks = db
    .selectFrom('unlocks')
    .innerJoin('videos', 'videos.id', 'unlocks.video_id')
    .innerJoin('episodes', 'episodes.id', 'unlocks.episode_id')
    .select(['unlocks.video_id', englishTitle, 'episodes.number as episode', 'unlocked_at'])
    .where('unlocks.user_id', '=', userId)
  return readInOrder(unlocks, ['unlocks.video_id', (row) => row.video_id])
}

export function readEntitlements(db: Db, userId: string) {
  const entitlements = db
    .selectFrom('entitlements')
    .leftJoin('videos', 'videos.id', 'entitlements.video_id')
    .leftJoin('episodes', 'episodes.id', 'entitlements.episode_id')
    .select([
      'entitlements.id',
      'entitlements.order_id',
      'entitlements.source',
      'entitlements.video_id',
      englishTitle,
      'episodes.number as episode',
      'entitlements.starts_at',
      'entitlements.ends_at',
      'entitlements.revoked_at',
    ])
    .where('entitlements.user_id', '=', userId)
  return readInOrder(entitlements, ['entitlements.id', (row) => row.id])
}

export function readEpisodeViews(db: Db, userId: string) {
  const views = db
    .selectFrom('episode_views')
    .select(['episode_id', 'finished'])
    .where('user_id', '=', userId)
  return readInOrder(views, ['episode_id', (row) => row.episode_id])
}

export function readPlays(db: Db, userId: string) {
  const plays = db
    .selectFrom('plays')
    .select(['video_id', 'episode_id', 'half_hour'])
    .where('user_id', '=', userId)
  return readInOrder(plays, ['episode_id', (row) => row.episode_id], ['half_hour', (row) => row.half_hour])
}
