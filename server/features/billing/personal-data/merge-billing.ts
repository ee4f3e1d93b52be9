import type { Tx } from '#server/tables.ts'
import { selectSavedMethod } from '#server/features/billing/records/agreement-queries.ts'
import { retireUnusedMethods } from '#server/features/billing/records/method-queries.ts'
import { moveBalance } from '#server/features/billing/balance/lot-queries.ts'
import { moveKeys, moveRecords, selectActiveSubscription } from './personal-data-queries.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'
import { endSubscription } from '#server/features/billing/subscriptions/end-subscription.ts'
import { selectRenewing } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { revokeSavedMethodConsent } from '#server/features/billing/payment-methods/saved-method.ts'
import { endExpired } from '#server/features/billing/subscriptions/start-subscription.ts'

/**
 * All that a guest ordered and paid becomes the member's: orders, payment methods, subscriptions, the balance (not auto-unlock, by which
 * only the member spends it), and the keys under which a lost answer is asked for again. There is one live subscription per person: where both have one, the guest's renews no
 * more, and what it paid for stays as an entitlement until its end (docs/decisions/0005-two-subscriptions-meet.md).
 * A second time changes nothing.
 */
export async function mergeBilling(tx: Tx, guestId: string, memberId: string, now: Date): Promise<void> {
  if (guestId === memberId) return
  for (const id of [guestId, memberId].toSorted()) await lockBuyer(tx, id)
  const standing = async () => [
    await selectActiveSubscription(tx, guestId),
    await selectActiveSubscription(tx, memberId),
  ]
  let [guests, members] = await standing()
  if (guests && members) {
    // One that lapsed in an outage goes on where no other takes its place: it is still charged once (billing.md, "Dunning").
    for (const id of [guestId, memberId]) await endExpired(tx, id, now)
    ;[guests, members] = await standing()
  }
  const ending = guests && members ? await selectRenewing(tx, guests.id) : undefined
  if (ending) await endSubscription(tx, ending, now)
  // The guest may be somebody else in the same browser: a member who has a saved method keeps it.
  if (await selectSavedMethod(tx, memberId)) await revokeSavedMethodConsent(tx, guestId, 'sign_in', now)
  await moveRecords(tx, guestId, memberId)
  await moveBalance(tx, guestId, memberId)
  await retireUnusedMethods(tx, memberId, now)
  await moveKeys(tx, guestId, memberId)
}
