import { selectAttempts } from '#server/features/billing/records/attempt-queries.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectOrder } from '#server/features/billing/records/order-queries.ts'
import { checkOutcome } from './pay-order.ts'
import { recheckAttempt } from './settle-attempt.ts'

/**
 * Completes and settles a payment that the user has confirmed at the gateway. The token is the gateway's id of the
 * payment, such as a PaymentIntent of Stripe. The gateway's webhook event has the same effect, but may arrive later.
 * @returns false if the token is not a payment of this user's order
 * @throws Refusal paymentOutcomeUnknown, alreadyOwned, introPriceUsed, or the reason for the decline
 */
export async function confirmPayment(
  context: BillingContext,
  userId: string,
  orderId: string,
  token: string | undefined,
): Promise<boolean> {
  const order = await selectOrder(context.db, orderId)
  if (token === undefined || order?.user_id !== userId) return false
  const attempts = await selectAttempts(context.db, [orderId])
  const confirmed = attempts.find(({ reference }) => reference === token)
  if (!confirmed) return false
  if (isOpen(confirmed.status)) await recheckAttempt(context, confirmed)
  await checkOutcome(context, confirmed)
  return true
}
