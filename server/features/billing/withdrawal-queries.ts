import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { OrderRow } from './order-queries.ts'

const paid = (['paid', 'partially_refunded'] as const).map((status) => sql.lit(status))

/** The orders that a contract was paid with: one, or those of each period of its subscription so far. */
export function selectContract(tx: Tx, { id, subscription_id }: OrderRow): Promise<OrderRow[]> {
  const orders = tx.selectFrom('orders').selectAll().where('paid_at', 'is not', null)
  const own =
    subscription_id === null
      ? orders.where('id', '=', id)
      : orders.where('subscription_id', '=', subscription_id)
  return own.orderBy('paid_at').orderBy('id').execute()
}

export async function markWithdrawn(tx: Tx, ids: string[], now: Date): Promise<void> {
  const orders = tx.updateTable('orders').set({ withdrawn_at: now }).where('id', 'in', ids)
  await orders.where('withdrawn_at', 'is', null).execute()
}

/** Orders that were withdrawn from and whose money has not gone back yet. */
export function selectWithdrawn(db: Db) {
  return db
    .selectFrom('orders')
    .select('id')
    .where('withdrawn_at', 'is not', null)
    .where('status', 'in', paid)
    .orderBy('withdrawn_at')
    .limit(20)
    .execute()
}
