import Stripe from 'stripe'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { cardExpiryDate } from '#server/features/billing/gateways/card-expiry.ts'
import { randomHex } from '#server/platform/ids.ts'
import { declineCodeOf } from './decline-codes.ts'

/** A payment at Stripe, or the setup of a card without a payment. */
type Intent = Stripe.PaymentIntent | Stripe.SetupIntent

/** Converts the state of an intent to the fields that `Payment` and `MethodSetup` share. */
export function outcomeOf(intent: Intent): Pick<Payment, 'status' | 'next' | 'decline'> {
  const status = statusOf(intent)
  const error = errorOf(intent)
  return {
    status,
    ...(status === 'requires_action' ? { next: nextStepOf(intent) } : {}),
    ...(status === 'failed' ? { decline: error ? declineCodeOf(error) : 'other' } : {}),
    ...(status === 'cancelled' ? { decline: 'cancelled' } : {}),
  }
}

/**
 * Returns the status of an intent. After a decline, Stripe waits for another card. On this site, another card is
 * another attempt. A declined intent therefore counts as failed, even after its cancellation.
 */
function statusOf(intent: Intent): Payment['status'] {
  const declined = errorOf(intent) !== null
  switch (intent.status) {
    case 'succeeded':
      return 'succeeded'
    case 'requires_action':
      return 'requires_action'
    case 'canceled':
      return declined ? 'failed' : 'cancelled'
    case 'requires_payment_method':
    case 'requires_confirmation':
      return declined ? 'failed' : 'requires_action'
    case 'processing':
    case 'requires_capture':
      return 'processing'
    default:
      // The status belongs to a later version of Stripe's API.
      return 'unreadable'
  }
}

/**
 * Returns the browser's next step. Stripe's own frames show the card form and the bank's 3-D Secure check, so card data
 * never reaches this server (PCI).
 */
function nextStepOf({ status, client_secret }: Intent): Payment['next'] {
  const type = status === 'requires_action' ? 'authenticate' : 'card_form'
  return { type, client_secret: client_secret ?? '' }
}

const errorOf = (intent: Intent) =>
  intent.object === 'payment_intent' ? intent.last_payment_error : intent.last_setup_error

/** Returns whether a declined intent could still be confirmed with another card. */
export function isDeclinedButOpen(intent: Intent): boolean {
  return intent.status === 'requires_payment_method' && errorOf(intent) !== null
}

/**
 * Cancels an intent.
 * @returns false if the intent cannot be cancelled because it succeeded, was already cancelled, or is processing
 */
export async function cancelIntent(
  intents: Stripe['paymentIntents'] | Stripe['setupIntents'],
  reference: string,
): Promise<boolean> {
  const key = { idempotencyKey: `cancel:${reference}:${randomHex()}` }
  try {
    await intents.cancel(reference, { cancellation_reason: 'abandoned' }, key)
    return true
  } catch (error) {
    if (error instanceof Stripe.errors.StripeInvalidRequestError) return false
    throw error
  }
}

/** Converts a saved card to the form that `PaymentGateway` returns. */
export function presentCard(
  customer: string,
  method: string,
  card: Stripe.PaymentMethod.Card | Stripe.Charge.PaymentMethodDetails.Card | undefined,
): NonNullable<Payment['method']> {
  const { brand = null, last4 = null, fingerprint, exp_year: year, exp_month: month } = card ?? {}
  return {
    reference: joinMethodReference(customer, method),
    brand,
    last4,
    ...(year && month ? { expiresAt: cardExpiryDate(year, month) } : {}),
    ...(fingerprint ? { fingerprint } : {}),
  }
}

/**
 * Joins the ids of customer and card. Stripe charges a card only with its customer, and a user may have several
 * customers.
 */
function joinMethodReference(customer: string, method: string): string {
  return `${customer}/${method}`
}

/** Splits a method reference into the ids of customer and card. */
export function splitMethodReference(methodReference: string): { customer: string; method: string } {
  const [customer = '', method = ''] = methodReference.split('/')
  return { customer, method }
}

/** Returns the id of an object that Stripe returns either as an id or as an expanded object. */
export const idOf = (reference: string | { id: string } | null): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id
