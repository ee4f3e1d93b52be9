import type Stripe from 'stripe'
import type { Payment } from '#server/features/billing/gateway.ts'
import { fromStripe } from './amounts.ts'
import { declineOf } from './decline-codes.ts'

/** What is read with a payment: its charge says what was refunded and with which card it was paid. */
export const withCharge = 'latest_charge.balance_transaction'

/** A payment of Stripe's in our words; the dispute, which has an object of its own, is not in it. */
export function presentIntent(intent: Stripe.PaymentIntent): Payment {
  const currency = intent.currency.toUpperCase()
  const charge = chargeOf(intent)
  const status = statusOf(intent)
  const error = intent.last_payment_error
  return {
    reference: intent.id,
    status,
    orderId: intent.metadata['order_id'] ?? '',
    attemptId: intent.metadata['attempt_id'] ?? '',
    amountCents: fromStripe(intent.amount, currency),
    refundedCents: fromStripe(charge?.amount_refunded ?? 0, currency),
    currency,
    ...(status === 'succeeded' ? methodOf(intent, charge) : {}),
    ...(status === 'requires_action' ? { next: nextOf(intent) } : {}),
    ...(status === 'failed' ? { decline: error ? declineOf(error) : 'other' } : {}),
    ...(status === 'cancelled' ? { decline: 'cancelled' } : {}),
  }
}

/**
 * A payment that was declined asks Stripe's way for another card; with us that is another attempt, so it has failed, and
 * still has once it was cancelled.
 */
function statusOf({ status, last_payment_error: error }: Stripe.PaymentIntent): Payment['status'] {
  switch (status) {
    case 'succeeded':
      return 'succeeded'
    case 'requires_action':
      return 'requires_action'
    case 'canceled':
      return error ? 'failed' : 'cancelled'
    case 'requires_payment_method':
    case 'requires_confirmation':
      return error ? 'failed' : 'requires_action'
    default:
      return 'processing'
  }
}

/** Whether a declined payment could still be confirmed with another card. */
export function isLeftOpen({ status, last_payment_error: error }: Stripe.PaymentIntent): boolean {
  return status === 'requires_payment_method' && error !== null
}

/** The card is given to Stripe's own frames, and the bank's check is Stripe's too (billing.md, "The card form and PCI"). */
function nextOf({ status, client_secret }: Stripe.PaymentIntent): Payment['next'] {
  const type = status === 'requires_action' ? 'authenticate' : 'card_form'
  return { type, client_secret: client_secret ?? '' }
}

export function chargeOf({ latest_charge }: Stripe.PaymentIntent): Stripe.Charge | undefined {
  return typeof latest_charge === 'object' && latest_charge !== null ? latest_charge : undefined
}

/** How a dispute stands. An inquiry has taken no money, nor has one that was settled before it began. */
export function presentDispute(
  { amountCents, refundedCents, currency }: Payment,
  dispute: Stripe.Dispute | undefined,
): Pick<Payment, 'dispute' | 'disputedCents'> {
  const { status, amount } = dispute ?? { status: 'prevented', amount: 0 }
  if (status === 'prevented' || status.startsWith('warning_')) return {}
  // What had been refunded is not taken a second time.
  const disputedCents = Math.min(fromStripe(amount, currency), amountCents - refundedCents)
  if (status === 'won') return { dispute: 'won', disputedCents }
  return { dispute: status === 'lost' ? 'lost' : 'open', disputedCents }
}

/** Stripe charges a kept card with its customer alone, and an account may have come to have several: the name holds both. */
function methodOf(intent: Stripe.PaymentIntent, charge: Stripe.Charge | undefined): Pick<Payment, 'method'> {
  const [customer, method] = [idOf(intent.customer), idOf(intent.payment_method)]
  if (intent.setup_future_usage !== 'off_session' || !customer || !method) return {}
  const card = charge?.payment_method_details?.card
  const { brand = null, last4 = null, fingerprint } = card ?? {}
  const told = fingerprint ? { fingerprint } : {}
  return { method: { reference: `${customer}/${method}`, brand, last4, ...told } }
}

/** The two names in a method of ours. */
export function namesIn(methodReference: string): { customer: string; method: string } {
  const [customer = '', method = ''] = methodReference.split('/')
  return { customer, method }
}

const idOf = (reference: string | { id: string } | null): string | undefined =>
  typeof reference === 'string' ? reference : reference?.id
