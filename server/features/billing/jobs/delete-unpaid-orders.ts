import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { deleteUnusedTerms } from '#server/features/billing/records/shown-terms-queries.ts'
import { deleteUnstartedSubscriptions, deleteUnpaidOrders } from './unpaid-order-queries.ts'

const batch = 1000

/** Deletes the orders that ended long ago without a payment, and what was stored for them alone. */
export async function purgeUnpaidOrders({ db, clock, bounds }: BillingContext): Promise<void> {
  const before = new Date(clock.now().getTime() - bounds.unpaidOrdersMs)
  while ((await deleteUnpaidOrders(db, before, batch)) === batch);
  await deleteUnstartedSubscriptions(db)
  await deleteUnusedTerms(db, clock.now())
}
