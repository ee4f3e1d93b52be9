import type { Language } from '#contract/languages.ts'
import { moveEntitlements } from '#server/features/library/library.ts'
import { insertUser } from '#server/features/members/members.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { revokeSavedMethodConsent } from '#server/features/billing/payment-methods/saved-method.ts'
import { selectSavedMethod } from '#server/features/billing/records/method-consent-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import { movePurchase } from './claim-queries.ts'

/**
 * Moves one purchase of a guest to a new guest: the order, or all orders of its subscription, with their entitlements.
 * All other records stay with the old guest. If the old guest's balance paid for the purchase, a later refund is
 * credited to that balance. The caller must have locked the old guest.
 * @returns the id of the new guest
 */
export async function movePurchaseToNewGuest(
  tx: Tx,
  order: Pick<OrderRow, 'id' | 'subscription_id'>,
  { language, now }: { language: Language; now: Date },
): Promise<string> {
  const newGuestId = newId('usr')
  await insertUser(tx, { id: newGuestId, language, created_at: now })
  await moveEntitlements(tx, await movePurchase(tx, order, newGuestId), newGuestId)
  // The subscription's card may also be saved for other purchases, but only the old guest consented to that.
  if (await selectSavedMethod(tx, newGuestId)) await revokeSavedMethodConsent(tx, newGuestId, 'claim', now)
  return newGuestId
}
