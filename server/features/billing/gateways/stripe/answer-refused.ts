import Stripe from 'stripe'
import {
  GatewayRefused,
  neverMadePayment,
  type Charge,
  type DeclineCode,
  type Payment,
} from '#server/features/billing/gateways/gateway.ts'
import { presentIntent } from './present-payment.ts'
import * as queries from './queries.ts'
import type { StripeContext } from './stripe-context.ts'

/**
 * Charges, and returns a failed payment if Stripe's error leaves no doubt. Any other error is rethrown: it does not tell
 * whether money moved.
 * @throws GatewayRefused if the key was used for another request, whose payment may have succeeded
 */
export async function answerRefused(
  context: StripeContext,
  charge: Charge,
  pay: () => Promise<Payment>,
): Promise<Payment> {
  const { StripeCardError, StripeIdempotencyError, StripeInvalidRequestError } = Stripe.errors
  try {
    return await pay()
  } catch (error) {
    // HTTP 402: the payment exists, and was declined.
    if (error instanceof StripeCardError && error.payment_intent) return presentIntent(error.payment_intent)
    if (error instanceof StripeIdempotencyError) throw new GatewayRefused(error.message, { cause: error })
    if (error instanceof StripeInvalidRequestError) return neverMade(context, charge, error)
    throw error
  }
}

/** Handles a payment that Stripe did not create: the card was deleted there, or the settings do not fit the account. */
async function neverMade(
  context: StripeContext,
  charge: Charge,
  error: Stripe.errors.StripeInvalidRequestError,
): Promise<Payment> {
  const { attemptId, payer } = charge
  return neverMadePayment(
    charge,
    await noteNeverMade(context, { attempt: attemptId, userId: payer.userId }, error),
  )
}

/** Logs what Stripe refused to create. @returns our decline code */
export async function noteNeverMade(
  { db, log }: StripeContext,
  { userId, ...about }: { userId: string; attempt?: string; change?: string },
  { code, param, message, requestId }: Stripe.errors.StripeInvalidRequestError,
): Promise<DeclineCode> {
  log.error({ ...about, code, param, request: requestId, reason: message }, 'Stripe refused a request')
  // The customer was deleted at Stripe: the next attempt creates another.
  if (code === 'resource_missing' && param === 'customer') await queries.loseCustomer(db, userId)
  if (param === 'email') return 'email_refused'
  return param === 'payment_method' ? 'card_declined' : 'other'
}
