import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { takeDueSubscriptions } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { renewSubscription } from './renew-subscription.ts'

const batch = 40
const atOnce = 4
/** Longer than a batch takes at a gateway that answers none in time; a process that died keeps its batch for so long. */
const claimMs = 10 * 60_000

/**
 * Charges the subscriptions whose period or next try has come, and ends those that are over. Any number of processes may
 * run it at any time: each takes what no other has, and an order per period makes a renewal happen once (billing.md).
 * Aborted, it begins nothing more.
 */
export async function renewSubscriptions(context: BillingContext, signal?: AbortSignal): Promise<void> {
  const { db, clock } = context
  while (!signal?.aborted) {
    const now = clock.now()
    const due = await takeDueSubscriptions(db, now, new Date(now.getTime() + claimMs), batch)
    if (due.length === 0) return
    await Promise.all(Array.from({ length: atOnce }, () => work(context, due, signal)))
  }
}

/** One that fails is logged and comes again once its claim is over; it does not keep the others from their turn. */
async function work(context: BillingContext, due: string[], signal?: AbortSignal): Promise<void> {
  for (let id = due.shift(); id !== undefined && !signal?.aborted; id = due.shift()) {
    await renewSubscription(context, id).catch((error: unknown) =>
      context.log.error({ err: error, subscription: id }, 'a subscription could not be renewed'),
    )
  }
}
