import type { claimPurchase as claimCall } from '#contract/billing.ts'
import type { User } from '#contract/members.ts'
import { joinAccount, loadUser } from '#server/features/members/members.ts'
import type { Call } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { membershipOf } from '#server/features/billing/subscriptions/membership.ts'
import { deleteOrderLinks } from '#server/features/billing/mails/order-link-queries.ts'
import { findLinkedOrder } from '#server/features/billing/mails/order-links.ts'
import { lockBuyer } from '#server/features/billing/records/order-queries.ts'
import { revokeSavedMethodConsent } from '#server/features/billing/payment-methods/saved-method.ts'

/**
 * Takes all that a guest has bought into the account of the receipt's address (product.md, section 4), and signs in. The
 * link works once; with it every other claim of the same guest is done. A receipt is passed on more easily than a password,
 * and for longer: into an account that somebody has proven to be theirs the link alone lets nobody.
 * @throws Refusal as `joinAccount` does
 */
export async function claimPurchase(context: BillingContext, call: Call<typeof claimCall>): Promise<User> {
  const { db, clock } = context
  const { claim } = call.body
  const find = async (database: Db) => {
    const { user_id: userId, email } = await findLinkedOrder(database, 'claim', claim, clock.now())
    return { userId, email }
  }
  const viewer = await joinAccount(context, call, {
    find,
    async spend(tx, userId) {
      await deleteOrderLinks(tx, userId, 'claim')
      // A link may be passed on or go to a mistyped address: what was bought goes along, a card to buy more with does not.
      if (call.viewer?.userId === userId) return
      await lockBuyer(tx, userId)
      await revokeSavedMethodConsent(tx, userId, 'claim', clock.now())
    },
  })
  const membership = (database: Db) => membershipOf(context, database, viewer, call.language)
  return loadUser({ db, membershipOf: membership }, viewer, call.language)
}
