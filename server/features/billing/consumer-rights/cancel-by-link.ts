import type { cancelByLink as cancelByLinkCall } from '#contract/consumer-rights.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { cancelOrResumeRenewal } from '#server/features/billing/subscriptions/cancel-subscription.ts'
import { findLinkedOrder } from '#server/features/billing/mails/order-links.ts'
import { lockOrderOwner, selectOrder } from '#server/features/billing/records/order-queries.ts'

/**
 * Uses the secret of a mailed link to cancel the renewals of a subscription. Access remains until the end of the paid
 * period. Idempotent.
 * @throws Refusal linkExpired, also if the subscription has ended or another subscription has replaced it
 */
export async function cancelByLink(
  context: BillingContext,
  secret: string,
  language: Language,
): Promise<ResultOf<typeof cancelByLinkCall>> {
  const { db, clock } = context
  const { id } = await findLinkedOrder(db, 'cancel', secret, clock.now())
  const { plan, grace_until, ends_at } = await inTransaction(db, async (tx) => {
    await lockOrderOwner(tx, id)
    const { user_id: userId, subscription_id: subscriptionId } = (await selectOrder(tx, id)) ?? {}
    const cancelled =
      userId &&
      subscriptionId &&
      (await cancelOrResumeRenewal(context, tx, { userId, subscriptionId, cancelled: true, language }))
    if (!cancelled) throw new Refusal('linkExpired')
    return cancelled
  })
  const until = grace_until ?? ends_at
  return { done: true, ...(plan ? { plan: plan.name } : {}), ...(until ? { ends_at: until } : {}) }
}
