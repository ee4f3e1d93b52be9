import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { takeDueSubscriptions } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { renewSubscription } from './renew-subscription.ts'

const batch = 40
const concurrency = 4
/**
 * The duration of a process's claim on a batch. It exceeds the duration of a batch in which every gateway call times
 * out.
 */
const claimMs = 10 * 60_000

/**
 * Charges subscriptions whose period has ended or whose retry is due, and ends expired ones. Any number of processes
 * may run this job at any time. Each process claims different subscriptions, and a unique order per period prevents a
 * second charge. After an abort, no further renewal starts.
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
 * Renews subscriptions one by one. A failed renewal is logged and does not block the others. It is retried after the
 * claim expires.
 */
async function renewFromQueue(context: BillingContext, due: string[], signal?: AbortSignal): Promise<void> {
  for (let id = due.shift(); id !== undefined && !signal?.aborted; id = due.shift()) {
    await renewSubscription(context, id).catch((error: unknown) =>
      context.log.error({ err: error, subscription: id }, 'a subscription could not be renewed'),
    )
  }
}
