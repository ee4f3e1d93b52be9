import Stripe from 'stripe'
import {
  GatewayRefused,
  notCreatedPayment,
  type Charge,
  type DeclineCode,
  type Payment,
} from '#server/features/billing/gateways/gateway.ts'
import { redactGatewayError } from '#server/features/billing/gateways/redact-gateway-error.ts'
import { presentIntent } from './present-payment.ts'
import * as queries from './queries.ts'
import type { StripeContext } from './stripe-context.ts'

/**
 * Runs a charge, and returns a failed payment if Stripe's error proves that no money moved. Rethrows any other error,
 * because the outcome is then unknown.
 * @throws GatewayRefused if the key was used for another request, whose payment may have succeeded
 */
export async function handleChargeErrors(
  context: StripeContext,
  charge: Charge,
  pay: () => Promise<Payment>,
): Promise<Payment> {
  const { StripeCardError, StripeIdempotencyError, StripeInvalidRequestError } = Stripe.errors
  try {
    return await pay()
  } catch (error) {
    // HTTP 402 means that the payment exists and was declined.
    if (error instanceof StripeCardError && error.payment_intent) return presentIntent(error.payment_intent)
    if (error instanceof StripeIdempotencyError) throw new GatewayRefused(error.message, { cause: error })
    if (error instanceof StripeInvalidRequestError) return handleNotCreated(context, charge, error)
    throw error
  }
}

/** Handles a payment that Stripe refused to create, for example because the card was deleted. */
async function handleNotCreated(
  context: StripeContext,
  charge: Charge,
  error: Stripe.errors.StripeInvalidRequestError,
): Promise<Payment> {
  const { attemptId, payer } = charge
  return notCreatedPayment(
    charge,
    await logNotCreated(context, { attempt: attemptId, userId: payer.userId }, error),
  )
}

/** Logs a request that Stripe refused as invalid. @returns our decline code */
export async function logNotCreated(
  { db, log }: StripeContext,
  { userId, ...logFields }: { userId: string; attempt?: string; change?: string },
  error: Stripe.errors.StripeInvalidRequestError,
): Promise<DeclineCode> {
  const { code, param } = error
  log.error({ ...logFields, ...redactGatewayError(error), param }, 'Stripe refused a request')
  // The customer was deleted at Stripe, so the next attempt must create a new one.
  if (code === 'resource_missing' && param === 'customer') await queries.markCustomerDeleted(db, userId)
  if (param === 'email') return 'email_rejected'
  return param === 'payment_method' ? 'card_declined' : 'other'
}
