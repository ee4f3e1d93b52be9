import { sql, type Insertable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { EntitlementsTable } from './tables.ts'

export type AdminEntitlementRow = Awaited<ReturnType<typeof selectEntitlementsOfOrder>>[number]

const entitlementsQuery = (db: Db) =>
  db
    .selectFrom('entitlements')
    .leftJoin('videos', 'videos.id', 'entitlements.video_id')
    .leftJoin('episodes', 'episodes.id', 'entitlements.episode_id')
    .select([
      'entitlements.id',
      'entitlements.source',
      'entitlements.order_id',
      'entitlements.grant_reason',
      'entitlements.starts_at',
      'entitlements.ends_at',
      'entitlements.revoked_at',
      'entitlements.revocation_reason',
      'videos.titles',
      'episodes.number',
    ])
    .orderBy('entitlements.starts_at', 'desc')
    .orderBy('entitlements.id')

/** Selects the entitlements of an order, including revoked ones. */
export function selectEntitlementsOfOrder(db: Db, orderId: string) {
  return entitlementsQuery(db).where('entitlements.order_id', '=', orderId).execute()
}

/** Selects the entitlements of a user, including expired and revoked ones, latest first. */
export function selectEntitlementsOfUser(
  db: Db,
  userId: string,
  limit: number,
): Promise<AdminEntitlementRow[]> {
  return entitlementsQuery(db).where('entitlements.user_id', '=', userId).limit(sql.lit(limit)).execute()
}

/**
 * Selects a video, or the episode of that video with this number. Returns undefined if the video or episode does not
 * exist.
 */
export async function selectVideoOrEpisode(
  tx: Tx,
  videoId: string,
  number: number | undefined,
): Promise<{ episode_id: string | null } | undefined> {
  if (number === undefined) {
    const video = await tx.selectFrom('videos').select('id').where('id', '=', videoId).executeTakeFirst()
    return video && { episode_id: null }
  }
  return tx
    .selectFrom('episodes')
    .select('id as episode_id')
    .where('video_id', '=', videoId)
    .where('number', '=', number)
    .executeTakeFirst()
}

export async function insertGrantedEntitlement(tx: Tx, row: Insertable<EntitlementsTable>): Promise<void> {
  await tx.insertInto('entitlements').values(row).execute()
}

/**
 * Revokes one entitlement permanently. This also applies to an entitlement that is suspended by a refund or dispute of
 * its order. Otherwise, the end of the dispute could restore it.
 * @returns its user and what it covers; undefined if no such entitlement exists or an operator has already revoked it
 */
export function revokeEntitlementById(tx: Tx, id: string, at: Date, reason: string) {
  return tx
    .updateTable('entitlements')
    .set({ revoked_at: sql`coalesce(revoked_at, ${at})`, revocation_reason: reason })
    .where('id', '=', id)
    .where('revocation_reason', 'is', null)
    .returning(['user_id', 'order_id', 'video_id', 'episode_id', 'ends_at'])
    .executeTakeFirst()
}
