import type { Insertable } from 'kysely'
import { deleteExpired, type PurgeOptions } from '#server/platform/database/delete-expired.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { BillingTables, LinkPurpose } from '#server/features/billing/tables.ts'

export async function insertOrderLink(tx: Tx, link: Insertable<BillingTables['order_links']>): Promise<void> {
  await tx.insertInto('order_links').values(link).execute()
}

/** Deletes the links for a user's orders, or only those with one purpose. */
export async function deleteOrderLinks(tx: Tx, userId: string, purpose?: LinkPurpose): Promise<void> {
  const all = tx
    .deleteFrom('order_links')
    .where('order_id', 'in', tx.selectFrom('orders').select('id').where('user_id', '=', userId))
  await (purpose === undefined ? all : all.where('purpose', '=', purpose)).execute()
}

/** Returns the order of a link, with its owner. Returns undefined if the link has expired, was used or is unknown. */
export function selectLinkedOrder(db: Db, hash: Buffer, purpose: LinkPurpose, now: Date) {
  return db
    .selectFrom('order_links')
    .innerJoin('orders', 'orders.id', 'order_links.order_id')
    .selectAll('orders')
    .where('order_links.hash', '=', hash)
    .where('order_links.purpose', '=', purpose)
    .where((on) => on.or([on('order_links.expires_at', 'is', null), on('order_links.expires_at', '>', now)]))
    .executeTakeFirst()
}

export function deleteOldOrderLinks(db: Db, now: Date, options?: PurgeOptions): Promise<void> {
  return deleteExpired(db, { table: 'order_links', time: 'expires_at', before: now }, options)
}
