import type { Tx } from '#server/tables.ts'
import { forgetClicks } from './personal-data-queries.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'

/**
 * The person takes consent to marketing back, or never gave it to the account that they signed in to: their orders say no
 * more by which click and browser they came. The buyer is locked, so that an order which is being placed is among them.
 */
export async function forgetClicksOfOrders(tx: Tx, userId: string): Promise<void> {
  await lockBuyer(tx, userId)
  await forgetClicks(tx, userId)
}
