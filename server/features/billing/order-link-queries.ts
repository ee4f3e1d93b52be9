import type { Insertable } from 'kysely'
import type { Tx } from '#server/tables.ts'
import type { BillingTables, LinkPurpose } from './tables.ts'

export async function insertOrderLink(tx: Tx, link: Insertable<BillingTables['order_links']>): Promise<void> {
  await tx.insertInto('order_links').values(link).execute()
}

/** Makes the links about a person's orders worthless: all, or those for one purpose. */
export async function deleteOrderLinks(tx: Tx, userId: string, purpose?: LinkPurpose): Promise<void> {
  const all = tx
    .deleteFrom('order_links')
    .where('order_id', 'in', tx.selectFrom('orders').select('id').where('user_id', '=', userId))
  await (purpose === undefined ? all : all.where('purpose', '=', purpose)).execute()
}
