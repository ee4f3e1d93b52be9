import { sql, type Insertable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { EntitlementsTable } from './tables.ts'

export type AdminEntitlementRow = Awaited<ReturnType<typeof selectEntitlementsOfOrder>>[number]

const held = (db: Db) =>
  db
    .selectFrom('entitlements')
    .leftJoin('videos', 'videos.id', 'entitlements.video_id')
    .leftJoin('episodes', 'episodes.id', 'entitlements.episode_id')
    .select([
      'entitlements.id',
      'entitlements.source',
      'entitlements.order_id',
      'entitlements.granted_for',
      'entitlements.starts_at',
      'entitlements.ends_at',
      'entitlements.revoked_at',
      'entitlements.revoked_for',
      'videos.titles',
      'episodes.number',
    ])
    .orderBy('entitlements.starts_at', 'desc')
    .orderBy('entitlements.id')

/** The rights that an order gave, also those taken back. */
export function selectEntitlementsOfOrder(db: Db, orderId: string) {
  return held(db).where('entitlements.order_id', '=', orderId).execute()
}

/** The rights of a person, also those that ended or were taken back, the latest first. */
export function selectEntitlementsOfUser(
  db: Db,
  userId: string,
  limit: number,
): Promise<AdminEntitlementRow[]> {
  return held(db).where('entitlements.user_id', '=', userId).limit(sql.lit(limit)).execute()
}

/** A video, or one of its episodes by its number; undefined where there is none. */
export async function selectGood(
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

export async function insertGranted(tx: Tx, row: Insertable<EntitlementsTable>): Promise<void> {
  await tx.insertInto('entitlements').values(row).execute()
}

/**
 * Takes one right away, also one that its order's money has locked: that came back otherwise. @returns whose it was and what
 * of; undefined where there is none, or an operator took it before
 */
export function revokeOne(tx: Tx, id: string, at: Date, reason: string) {
  return tx
    .updateTable('entitlements')
    .set({ revoked_at: sql`coalesce(revoked_at, ${at})`, revoked_for: reason })
    .where('id', '=', id)
    .where('revoked_for', 'is', null)
    .returning(['user_id', 'order_id', 'video_id', 'episode_id', 'ends_at'])
    .executeTakeFirst()
}
