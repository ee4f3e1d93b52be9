import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import type { OrderRow } from './order-queries.ts'

const paid = (['paid', 'partially_refunded'] as const).map((status) => sql.lit(status))

/** One order, or those of each period of its subscription. */
const contractOf = ({ id, subscription_id }: OrderRow) =>
  subscription_id === null
    ? sql<boolean>`orders.id = ${id}`
    : sql<boolean>`orders.subscription_id = ${subscription_id}`

/** The orders that a contract was paid with so far. */
export function selectContract(tx: Tx, order: OrderRow): Promise<OrderRow[]> {
  const orders = tx.selectFrom('orders').selectAll().where('paid_at', 'is not', null)
  return orders.where(contractOf(order)).orderBy('paid_at').orderBy('id').execute()
}

/** Marks all orders of a contract, also those whose money may still come in. */
export async function markWithdrawn(tx: Tx, order: OrderRow, now: Date): Promise<void> {
  const orders = tx.updateTable('orders').set({ withdrawn_at: now }).where(contractOf(order))
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
