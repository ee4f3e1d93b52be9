import type { Tx } from '#server/tables.ts'
import { deleteClickIds } from './personal-data-queries.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'

/**
 * Removes the click and browser ids from the orders of a user who withdraws consent to marketing, or whose account never had
 * it. The buyer is locked, so that an order which is being placed is included.
 */
export async function deleteOrderClickIds(tx: Tx, userId: string): Promise<void> {
  await lockBuyer(tx, userId)
  await deleteClickIds(tx, userId)
}
