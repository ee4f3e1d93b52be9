import { type Insertable, type Selectable, type Updateable } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { TopUpProductsTable } from './tables.ts'

export type TopUpRow = Selectable<TopUpProductsTable>

/** Returns the top-ups on sale, by position. */
export function selectTopUps(db: Db): Promise<TopUpRow[]> {
  return db
    .selectFrom('top_up_products')
    .selectAll()
    .where('archived_at', 'is', null)
    .orderBy('position')
    .orderBy('id')
    .execute()
}

/** Returns all top-ups, those on sale first. */
export function selectAllTopUps(db: Db): Promise<TopUpRow[]> {
  return db
    .selectFrom('top_up_products')
    .selectAll()
    .orderBy('archived_at', (order) => order.desc().nullsFirst())
    .orderBy('position')
    .orderBy('id')
    .execute()
}

/** Returns a top-up, on sale or archived. */
export function selectTopUp(db: Db, id: string): Promise<TopUpRow | undefined> {
  return db.selectFrom('top_up_products').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Locks and returns a top-up. */
export function lockTopUp(tx: Tx, id: string): Promise<TopUpRow | undefined> {
  return tx.selectFrom('top_up_products').selectAll().where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function insertTopUp(tx: Tx, row: Insertable<TopUpProductsTable>): Promise<void> {
  await tx.insertInto('top_up_products').values(row).execute()
}

export async function updateTopUp(tx: Tx, id: string, change: Updateable<TopUpProductsTable>): Promise<void> {
  await tx.updateTable('top_up_products').set(change).where('id', '=', id).execute()
}
