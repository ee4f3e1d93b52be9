import { Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import type { Membership } from '#contract/members.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { loadMembership } from './membership.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'
import {
  selectOrderOfPeriod,
  selectSubscriptionForRenewal,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import {
  selectActiveSubscription,
  setCancelAtPeriodEnd,
  type LiveSubscription,
} from '#server/features/billing/records/renewals/subscription-queries.ts'
import { sendSubscriptionMail } from '#server/features/billing/mails/send-subscription-mail.ts'
import { syncEntitlementEnd } from '#server/features/billing/records/renewals/sync-entitlement-end.ts'
import { countResumption } from './limit-resumptions.ts'

type SubscriptionContext = Pick<BillingContext, 'db' | 'clock' | 'gateways' | 'publicUrl' | 'languages'>

/**
 * Cancels the renewals of a member's or guest's subscription, which remains active until the end of the paid period.
 * Idempotent.
 * @throws Refusal notSubscribed
 */
export function cancelSubscription(
  context: SubscriptionContext,
  userId: string,
  language: Language,
): Promise<Membership> {
  return setCancelled(context, userId, true, language)
}

/**
 * Resumes a cancelled subscription before the end of its paid period. Idempotent.
 * @throws Refusal notSubscribed, also after the end of the period; resumeLimitReached
 */
export function resumeSubscription(
  context: SubscriptionContext,
  userId: string,
  language: Language,
): Promise<Membership> {
  return setCancelled(context, userId, false, language)
}

async function setCancelled(
  context: SubscriptionContext,
  userId: string,
  cancelled: boolean,
  language: Language,
): Promise<Membership> {
  const membership = await inTransaction(context.db, async (tx) => {
    await lockBuyer(tx, userId)
    return cancelOrResumeRenewal(context, tx, { userId, cancelled, language })
  })
  if (!membership) throw new Refusal('notSubscribed')
  return membership
}

/**
 * Cancels or resumes the renewals of a user's active subscription. Sends a mail that confirms a cancellation. The
 * caller must have locked the buyer.
 * @param subscriptionId the only subscription that may be changed, if known
 * @returns undefined if there is no such active subscription
 * @throws Refusal resumeLimitReached
 */
export async function cancelOrResumeRenewal(
  context: SubscriptionContext,
  tx: Tx,
  change: { userId: string; cancelled: boolean; language: Language; subscriptionId?: string },
): Promise<Membership | undefined> {
  const { userId, cancelled, language, subscriptionId } = change
  const now = context.clock.now()
  const subscription = await selectActiveSubscription(tx, userId, now)
  if (!subscription || subscription.id !== (subscriptionId ?? subscription.id)) return undefined
  if (!cancelled && subscription.cancel_at_period_end) await countResumption(tx, subscription.id, now)
  await setCancelAtPeriodEnd(tx, subscription.id, cancelled, now)
  await setEntitlementEnd(tx, subscription, cancelled)
  if (subscription.cancel_at_period_end !== cancelled) {
    await writeAuditEvent(tx, {
      event: cancelled ? 'subscription_cancelled' : 'subscription_resumed',
      userId,
      at: now,
      details: { subscription_id: subscription.id },
    })
    if (cancelled) await sendCancellationMail(context, tx, subscription)
  }
  return loadMembership(context, tx, { userId, isStored: true }, language)
}

async function sendCancellationMail(
  context: SubscriptionContext,
  tx: Tx,
  subscription: LiveSubscription,
): Promise<void> {
  const row = await selectSubscriptionForRenewal(tx, subscription.id)
  const order = await selectOrderOfPeriod(tx, subscription.id, subscription.period_no)
  const date = subscription.grace_ends_at ?? subscription.period_ends_at
  if (!row || !order || !date) return
  await sendSubscriptionMail(tx, context, 'planCancelled', {
    to: row.email ?? order.email,
    language: row.language,
    timeZone: row.time_zone,
    plan: row,
    cents: row.price_cents,
    currency: row.currency,
    orderId: order.id,
    date,
  })
}

/** Sets the end of a subscription's entitlement, which depends on whether the subscription is cancelled. */
export function setEntitlementEnd(tx: Tx, subscription: LiveSubscription, cancelled: boolean): Promise<void> {
  return syncEntitlementEnd(tx, { ...subscription, cancel_at_period_end: cancelled })
}
