import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { takeDueSubscriptions } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { renewSubscription } from './renew-subscription.ts'

const batch = 40
const concurrency = 4
/** How long a process claims a batch: longer than a batch takes if every gateway call times out. */
const claimMs = 10 * 60_000

/**
 * Charges subscriptions whose period has ended or whose retry is due, and ends expired ones. Any number of processes
 * may run it at any time: each claims different subscriptions, and a period has only one order, so it is never renewed
 * twice. After an abort, no further renewal starts.
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

/**
 * Renews subscriptions one by one. A failure is logged, does not block the others, and is retried after its claim
 * expires.
 */
async function renewFromQueue(context: BillingContext, due: string[], signal?: AbortSignal): Promise<void> {
  for (let id = due.shift(); id !== undefined && !signal?.aborted; id = due.shift()) {
    await renewSubscription(context, id).catch((error: unknown) =>
      context.log.error({ err: error, subscription: id }, 'a subscription could not be renewed'),
    )
  }
}
