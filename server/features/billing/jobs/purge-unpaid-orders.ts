import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { deleteUnusedTerms } from '#server/features/billing/records/accepted-terms-queries.ts'
import { deleteUnstartedSubscriptions, deleteUnpaidOrders } from './unpaid-order-queries.ts'

const batch = 1000

/** Deletes old orders that ended without a payment, then subscriptions and terms that no order uses. */
export async function purgeUnpaidOrders({ db, clock, resourceLimits }: BillingContext): Promise<void> {
  const endedBefore = new Date(clock.now().getTime() - resourceLimits.unpaidOrderRetentionMs)
  while ((await deleteUnpaidOrders(db, endedBefore, batch)) === batch);
  // A younger subscription still has its order.
  while ((await deleteUnstartedSubscriptions(db, endedBefore, batch)) === batch);
  await deleteUnusedTerms(db, clock.now())
}
