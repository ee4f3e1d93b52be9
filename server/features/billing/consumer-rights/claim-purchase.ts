import type { claimPurchase as claimCall } from '#contract/consumer-rights.ts'
import { Refusal } from '#contract/errors.ts'
import type { User } from '#contract/members.ts'
import { claimGuestRecords, loadUser } from '#server/features/members/members.ts'
import type { Call } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import { hasEverToppedUp } from '#server/features/billing/balance/lot-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { loadMembership } from '#server/features/billing/subscriptions/membership.ts'
import { deleteOrderLinks } from '#server/features/billing/mails/order-link-queries.ts'
import { findLinkedOrder } from '#server/features/billing/mails/order-links.ts'
import { lockBuyer, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import { revokeSavedMethodConsent } from '#server/features/billing/payment-methods/saved-method.ts'
import { movePurchaseToNewGuest } from './move-purchase-to-new-guest.ts'

/**
 * Claims a guest's purchases with the link of a receipt: moves them to the account with the receipt's address, and
 * signs in. The link works once, and its use invalidates all other claim links of the guest. Receipts may be forwarded
 * or sent to a mistyped address. The link therefore does not sign in to an account with a verified address or a
 * balance. A claim in another browser moves neither a saved card nor a balance.
 * @throws Refusal claimFromOtherBrowser for a top-up in another browser, and as in `claimGuestRecords`
 */
export async function claimPurchase(context: BillingContext, call: Call<typeof claimCall>): Promise<User> {
  const { db, clock } = context
  const { secret } = call.body
  const findClaim = async (database: Db) => {
    const { user_id: userId, email } = await findLinkedOrder(database, 'claim', secret, clock.now())
    return { userId, email }
  }
  const viewer = await claimGuestRecords(context, call, {
    findClaim,
    isGuarded: hasEverToppedUp,
    async redeem(tx, userId) {
      const order = await findLinkedOrder(tx, 'claim', secret, clock.now())
      const guestId =
        call.viewer?.userId === userId ? userId : await claimInOtherBrowser(context, tx, call, order)
      await deleteOrderLinks(tx, guestId, 'claim')
      return guestId
    },
  })
  const membership = (database: Db) => loadMembership(context, database, viewer, call.language)
  return loadUser({ db, membershipOf: membership }, viewer, call.language)
}

/** Prepares a claim in a browser other than the guest's. @returns the id of the guest whose purchases are claimed */
async function claimInOtherBrowser(
  { clock }: BillingContext,
  tx: Tx,
  { language }: Call<typeof claimCall>,
  order: OrderRow,
): Promise<string> {
  const { user_id: userId, kind } = order
  const now = clock.now()
  await lockBuyer(tx, userId)
  if (await hasEverToppedUp(tx, userId)) {
    if (kind === 'top_up') throw new Refusal('claimFromOtherBrowser')
    return movePurchaseToNewGuest(tx, order, { language, now })
  }
  await revokeSavedMethodConsent(tx, userId, 'claim', now)
  return userId
}
