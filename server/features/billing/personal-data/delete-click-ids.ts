import type { Tx } from '#server/tables.ts'
import { deleteClickIds } from './personal-data-queries.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'

/**
 * Deletes the click ids and the user agent from the orders of a user who withdraws consent to marketing or whose
 * account never had this consent. Locks the buyer first, so that an order that is being created is included.
 */
export async function deleteOrderClickIds(tx: Tx, userId: string): Promise<void> {
  await lockBuyer(tx, userId)
  await deleteClickIds(tx, userId)
}
