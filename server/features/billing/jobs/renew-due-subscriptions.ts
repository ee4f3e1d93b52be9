import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { takeDueSubscriptions } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { renewSubscription } from './renew-subscription.ts'

const batch = 40
const concurrency = 4
/** Longer than a batch takes at a gateway that never answers in time; a crashed process keeps its batch this long. */
const claimMs = 10 * 60_000

/**
 * Charges the subscriptions whose period or retry is due, and ends those that are over. Any number of processes may run it at
 * any time: each takes different subscriptions, and one order per period makes a renewal happen once. If aborted, it starts no
 * further renewal.
 */
export async function renewDueSubscriptions(context: BillingContext, signal?: AbortSignal): Promise<void> {
  const { db, clock } = context
  while (!signal?.aborted) {
    const now = clock.now()
    const due = await takeDueSubscriptions(db, now, new Date(now.getTime() + claimMs), batch)
    if (due.length === 0) return
    await Promise.all(Array.from({ length: concurrency }, () => renewFromQueue(context, due, signal)))
  }
}

/** Renews the due subscriptions one by one. A failed one is logged and retried after its claim expires, and does not block the others. */
async function renewFromQueue(context: BillingContext, due: string[], signal?: AbortSignal): Promise<void> {
  for (let id = due.shift(); id !== undefined && !signal?.aborted; id = due.shift()) {
    await renewSubscription(context, id).catch((error: unknown) =>
      context.log.error({ err: error, subscription: id }, 'a subscription could not be renewed'),
    )
  }
}
