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
 * Moves one purchase of a guest to a new guest: the order, or those of its plan, with their entitlements. All else stays with
 * the guest, who is locked, including the balance that may have paid for it: a refund goes back there.
 * @returns the new guest
 */
export async function movePurchaseToNewGuest(
  tx: Tx,
  order: Pick<OrderRow, 'id' | 'subscription_id'>,
  { language, now }: { language: Language; now: Date },
): Promise<string> {
  const newGuestId = newId('usr')
  await insertUser(tx, { id: newGuestId, language, created_at: now })
  await moveEntitlements(tx, await movePurchase(tx, order, newGuestId), newGuestId)
  // The card of a plan may be saved for other purchases too; only the original guest agreed to those.
  if (await selectSavedMethod(tx, newGuestId)) await revokeSavedMethodConsent(tx, newGuestId, 'claim', now)
  return newGuestId
}
