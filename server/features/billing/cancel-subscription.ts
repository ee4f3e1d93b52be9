import { Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import type { Membership } from '#contract/members.ts'
import { writeAudit } from '#server/platform/database/audit.ts'
import type { BillingContext } from './billing-context.ts'
import { membershipOf } from './membership.ts'
import { lockBuyer } from './order-queries.ts'
import { selectLiveSubscription, setCancelAtPeriodEnd } from './subscription-queries.ts'

type Billing = Pick<BillingContext, 'db' | 'clock'>

/**
 * Ends the renewals of a person's subscription, a guest's too: it stays until the paid period is over (billing.md,
 * "States"). Done again, it changes nothing.
 * @throws Refusal notSubscribed
 */
export function cancelSubscription(
  context: Billing,
  userId: string,
  language: Language,
): Promise<Membership> {
  return setCancelled(context, userId, true, language)
}

/**
 * Takes a cancellation back before the paid period is over. Done again, it changes nothing.
 * @throws Refusal notSubscribed, also once the period is over
 */
export function resumeSubscription(
  context: Billing,
  userId: string,
  language: Language,
): Promise<Membership> {
  return setCancelled(context, userId, false, language)
}

function setCancelled(
  { db, clock }: Billing,
  userId: string,
  cancelled: boolean,
  language: Language,
): Promise<Membership> {
  return db.transaction().execute(async (tx) => {
    await lockBuyer(tx, userId)
    const now = clock.now()
    const subscription = await selectLiveSubscription(tx, userId, now)
    if (!subscription) throw new Refusal('notSubscribed')
    await setCancelAtPeriodEnd(tx, subscription.id, cancelled)
    if (subscription.cancel_at_period_end !== cancelled)
      await writeAudit(tx, {
        event: cancelled ? 'renewals_cancelled' : 'renewals_resumed',
        userId,
        at: now,
        details: { subscription_id: subscription.id },
      })
    return membershipOf(tx, { userId, kept: true }, now, language)
  })
}
