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
 * Charges, and says what became of it where Stripe answers with an error that leaves no doubt. Any other error is thrown
 * on: it says nothing about whether money moved.
 * @throws GatewayRefused where the key was used for another request, whose payment may well stand
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
    // HTTP 402: the payment is there, and was declined.
    if (error instanceof StripeCardError && error.payment_intent) return presentIntent(error.payment_intent)
    if (error instanceof StripeIdempotencyError) throw new GatewayRefused(error.message, { cause: error })
    if (error instanceof StripeInvalidRequestError) return neverMade(context, charge, error)
    throw error
  }
}

/** Stripe made no payment: the card was deleted there, or the settings do not fit the account. */
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

/** Says in the log what Stripe would not make. @returns why, in our words */
export async function noteNeverMade(
  { db, log }: StripeContext,
  { userId, ...about }: { userId: string; attempt?: string; change?: string },
  { code, param, message, requestId }: Stripe.errors.StripeInvalidRequestError,
): Promise<DeclineCode> {
  log.error({ ...about, code, param, request: requestId, reason: message }, 'Stripe refused a request')
  // Somebody deleted the customer at Stripe: the next try makes another.
  if (code === 'resource_missing' && param === 'customer') await queries.loseCustomer(db, userId)
  if (param === 'email') return 'email_refused'
  return param === 'payment_method' ? 'card_declined' : 'other'
}
