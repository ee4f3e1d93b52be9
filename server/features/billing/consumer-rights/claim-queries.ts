import type { Tx } from '#server/tables.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

/**
 * Moves an order to another user. For a plan, moves the subscription with all its orders and its payment method.
 * @returns the ids of the moved orders
 */
export async function movePurchase(
  tx: Tx,
  { id, subscription_id }: Pick<OrderRow, 'id' | 'subscription_id'>,
  to: string,
): Promise<string[]> {
  const orders = tx.updateTable('orders').set({ user_id: to }).returning('id')
  const rows = await (
    subscription_id === null
      ? orders.where('id', '=', id)
      : orders.where('subscription_id', '=', subscription_id)
  ).execute()
  if (subscription_id !== null) await moveSubscription(tx, subscription_id, to)
  return rows.map((row) => row.id)
}

async function moveSubscription(tx: Tx, id: string, to: string): Promise<void> {
  await tx.updateTable('subscriptions').set({ user_id: to }).where('id', '=', id).execute()
  await tx
    .updateTable('payment_method_setups')
    .set({ user_id: to })
    .where('subscription_id', '=', id)
    .execute()
  const method = tx.selectFrom('subscriptions').select('payment_method_id').where('id', '=', id)
  await tx.updateTable('payment_methods').set({ user_id: to }).where('id', '=', method).execute()
}
