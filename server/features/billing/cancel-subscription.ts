import { Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import type { Membership } from '#contract/members.ts'
import { moveEntitlementEnd } from '#server/features/library/library.ts'
import { writeAudit } from '#server/platform/database/audit.ts'
import type { Tx } from '#server/tables.ts'
import type { BillingContext } from './billing-context.ts'
import { membershipOf } from './membership.ts'
import { lockBuyer } from './order-queries.ts'
import { selectOrderOfPeriod } from './renewal-queries.ts'
import { graceEnd } from './renewal-schedule.ts'
import {
  selectLiveSubscription,
  setCancelAtPeriodEnd,
  type LiveSubscription,
} from './subscription-queries.ts'

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
    await setCancelAtPeriodEnd(tx, subscription.id, cancelled, now)
    await setAccessEnd(tx, subscription, cancelled)
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

/** What will be renewed lasts through the grace, so that nobody is locked out meanwhile; what was cancelled does not. */
export async function setAccessEnd(
  tx: Tx,
  subscription: LiveSubscription,
  cancelled: boolean,
): Promise<void> {
  const { id, status, period_no, period_ends_at, period_days, gateway } = subscription
  const order = status === 'active' ? await selectOrderOfPeriod(tx, id, period_no) : undefined
  if (!order || !period_ends_at) return
  const renews = !cancelled && gateway !== null
  await moveEntitlementEnd(tx, order.id, renews ? graceEnd(period_ends_at, period_days) : period_ends_at)
}
