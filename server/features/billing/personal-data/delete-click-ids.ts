import type { Tx } from '#server/tables.ts'
import { deleteClickIds } from './personal-data-queries.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'

/**
 * Deletes the click ids and the user agent from a user's orders. The user has withdrawn the consent to marketing, or
 * the account never had it. Locks the buyer first, so that an order that is being created is included.
 */
export async function deleteOrderClickIds(tx: Tx, userId: string): Promise<void> {
  await lockBuyer(tx, userId)
  await deleteClickIds(tx, userId)
}
