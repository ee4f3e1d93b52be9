import { sql } from 'kysely'
import { preparedLookup, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Selects a visible episode, with the data that decides who may play it. `asset_id` is null if the episode is not
 * playable yet.
 */
export function selectEpisode(db: Db, id: string) {
  return db
    .selectFrom('episodes')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .leftJoin('assets', 'assets.id', 'episodes.asset_id')
    .select([
      'episodes.id',
      'episodes.video_id',
      'episodes.number',
      'episodes.asset_id',
      'videos.free_episodes',
      'assets.duration_ms',
    ])
    .where('episodes.id', '=', id)
    .where('videos.state', 'in', ['published', 'archived'])
    .executeTakeFirst()
}

const entitlements = preparedLookup(
  (db: Db, { userId, videoId, now }: Placeholders<{ userId: string; videoId: string; now: Date }>) =>
    db
      .selectFrom('entitlements')
      .selectAll()
      .where('user_id', '=', userId)
      .where((eb) => eb.or([eb('video_id', '=', videoId), eb('video_id', 'is', null)]))
      .where('revoked_at', 'is', null)
      .where('starts_at', '<=', now)
      .where((eb) => eb.or([eb('ends_at', 'is', null), eb('ends_at', '>', now)])),
)

/** Selects the active entitlements to one of the video's episodes, to the whole video, or to everything. */
export function selectEntitlements(db: Db, userId: string, videoId: string, now: Date) {
  return entitlements(db, { userId, videoId, now })
}

export async function insertEntitlement(tx: Tx, row: EntitlementRow): Promise<void> {
  await tx
    .insertInto('entitlements')
    .values({ ...row, revoked_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function setEntitlementEnd(tx: Tx, orderId: string, endsAt: Date): Promise<void> {
  await tx
    .updateTable('entitlements')
    .set({ ends_at: endsAt })
    .where('order_id', '=', orderId)
    .where('source', '=', 'subscription')
    .execute()
}

export async function setEntitlementOwner(
  tx: Tx,
  orderIds: readonly string[],
  userId: string,
): Promise<void> {
  await tx.updateTable('entitlements').set({ user_id: userId }).where('order_id', 'in', orderIds).execute()
}

/** Revokes or restores the entitlements of an order. Entitlements that an operator revoked remain unchanged. */
export async function setRevoked(tx: Tx, orderId: string, at: Date | null): Promise<void> {
  await tx
    .updateTable('entitlements')
    .set({ revoked_at: at })
    .where('order_id', '=', orderId)
    .where('revocation_reason', 'is', null)
    .execute()
}

export interface EntitlementRow {
  id: string
  user_id: string
  order_id: string | null
  source: 'purchase' | 'subscription'
  video_id: string | null
  episode_id: string | null
  starts_at: Date
  ends_at: Date | null
}

/**
 * Hides videos in a user's list of unlocked videos.
 * @returns how many of them were in the list
 */
export async function hideUnlocked(
  tx: Tx,
  userId: string,
  videoIds: readonly string[],
  now: Date,
): Promise<number> {
  const { rows } = await sql<{ hidden: number }>`
    WITH bought AS (
      UPDATE entitlements SET hidden_at = ${now} FROM (
        SELECT id FROM entitlements
        WHERE user_id = ${userId} AND video_id = ANY(${videoIds}) AND source = 'purchase'
          AND revoked_at IS NULL AND hidden_at IS NULL
        ORDER BY id FOR UPDATE
      ) due WHERE entitlements.id = due.id
      RETURNING video_id
    ), opened AS (
      DELETE FROM unlocks USING (
        SELECT user_id, video_id FROM unlocks WHERE user_id = ${userId} AND video_id = ANY(${videoIds})
        ORDER BY video_id FOR UPDATE
      ) due WHERE unlocks.user_id = due.user_id AND unlocks.video_id = due.video_id
      RETURNING unlocks.video_id
    )
    SELECT count(*)::int AS hidden FROM (SELECT video_id FROM bought UNION SELECT video_id FROM opened) both_kinds`.execute(
    tx,
  )
  return rows[0]?.hidden ?? 0
}
