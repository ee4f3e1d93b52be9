import type { Tx } from '#server/tables.ts'
import { selectSavedMethod } from '#server/features/billing/records/method-consent-queries.ts'
import { queueUnusedMethodsDetach } from '#server/features/billing/records/method-queries.ts'
import { moveBalance } from '#server/features/billing/balance/lot-queries.ts'
import {
  moveIdempotencyKeys,
  moveBillingRecords,
  selectUnendedSubscription,
} from './personal-data-queries.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'
import { endSubscription } from '#server/features/billing/subscriptions/end-subscription.ts'
import { selectSubscriptionForRenewal } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { revokeSavedMethodConsent } from '#server/features/billing/payment-methods/saved-method.ts'
import { endExpiredSubscription } from '#server/features/billing/subscriptions/start-subscription.ts'

/**
 * Moves the billing data of a guest to a member: orders, payment methods, method changes, subscriptions and the
 * balance, but not auto-unlock, which only the member may turn on. Also moves the idempotency keys, so that a request
 * that is repeated after a lost response gets its first answer. A user can have only one active subscription. If both
 * users have one, the guest's subscription stops renewing, and its paid period remains as an entitlement until its end
 * (docs/decisions/0005-two-subscriptions-meet.md). Idempotent.
 */
export async function mergeBilling(tx: Tx, guestId: string, memberId: string, now: Date): Promise<void> {
  if (guestId === memberId) return
  for (const id of [guestId, memberId].toSorted()) await lockBuyer(tx, id)
  const loadSubscriptions = async () => [
    await selectUnendedSubscription(tx, guestId),
    await selectUnendedSubscription(tx, memberId),
  ]
  let [guestSubscription, memberSubscription] = await loadSubscriptions()
  if (guestSubscription && memberSubscription) {
    // Expired subscriptions are ended here only if both users have one. A single subscription that expired during an
    // outage is renewed, and charged once, by the next run of the renewal job.
    for (const id of [guestId, memberId]) await endExpiredSubscription(tx, id, now)
    ;[guestSubscription, memberSubscription] = await loadSubscriptions()
  }
  const subscriptionToEnd =
    guestSubscription && memberSubscription
      ? await selectSubscriptionForRenewal(tx, guestSubscription.id)
      : undefined
  if (subscriptionToEnd) await endSubscription(tx, subscriptionToEnd, now)
  // The member's saved method remains. The guest's method may belong to another person who used this browser.
  if (await selectSavedMethod(tx, memberId)) await revokeSavedMethodConsent(tx, guestId, 'sign_in', now)
  await moveBillingRecords(tx, guestId, memberId)
  await moveBalance(tx, guestId, memberId)
  await queueUnusedMethodsDetach(tx, memberId, now)
  await moveIdempotencyKeys(tx, guestId, memberId)
}
