import type Stripe from 'stripe'
import type { DisputeDetails, Payment } from '#server/features/billing/gateways/gateway.ts'
import type { DisputeStatus } from '#server/features/billing/statuses.ts'
import { fromStripe } from './amounts.ts'
import { idOf, outcomeOf, presentCard } from './intents.ts'

/** Expands a payment with its charge, which has the refunded amount and the card. */
export const withCharge = 'latest_charge.balance_transaction'

/** Converts a Stripe payment without its dispute, which Stripe returns in another request. */
export function presentIntent(intent: Stripe.PaymentIntent): Payment {
  const currency = intent.currency.toUpperCase()
  const charge = chargeOf(intent)
  const outcome = outcomeOf(intent)
  const { purchase } = intent.metadata
  return {
    reference: intent.id,
    ...outcome,
    orderId: intent.metadata['order_id'] ?? '',
    attemptId: intent.metadata['attempt_id'] ?? '',
    ...(purchase === undefined ? {} : { purchase }),
    amountCents: fromStripe(intent.amount, currency),
    refundedCents: fromStripe(charge?.amount_refunded ?? 0, currency),
    currency,
    ...(outcome.status === 'succeeded' ? methodOf(intent, charge) : {}),
  }
}

export function chargeOf({ latest_charge }: Stripe.PaymentIntent): Stripe.Charge | undefined {
  return typeof latest_charge === 'object' && latest_charge !== null ? latest_charge : undefined
}

const disputeStatuses: Record<string, DisputeStatus> = {
  needs_response: 'open',
  under_review: 'open',
  won: 'won',
  lost: 'lost',
}

/**
 * Adds a dispute to its payment. Ignores inquiries (`warning_…`) and prevented disputes, because they take no money.
 */
export function withDispute(payment: Payment, dispute: Stripe.Dispute): Payment {
  const { amountCents, refundedCents, currency } = payment
  const { status, amount } = dispute
  if (status === 'prevented' || status.startsWith('warning_')) return payment
  const disputeStatus = disputeStatuses[status]
  if (!disputeStatus) return { ...payment, status: 'unreadable', disputeUnread: true }
  // A dispute takes only money that has not been refunded.
  const disputedCents = Math.min(fromStripe(amount, currency), amountCents - refundedCents)
  return {
    ...payment,
    dispute: disputeStatus,
    disputedCents,
    disputeDetails: detailsOf(dispute),
  }
}

function detailsOf({ id, reason, evidence_details: evidence }: Stripe.Dispute): DisputeDetails {
  const dueBy = evidence?.due_by
  return { reference: id, reason, ...(dueBy ? { dueAt: new Date(dueBy * 1000) } : {}) }
}

function methodOf(intent: Stripe.PaymentIntent, charge: Stripe.Charge | undefined): Pick<Payment, 'method'> {
  const [customer, method] = [idOf(intent.customer), idOf(intent.payment_method)]
  if (intent.setup_future_usage !== 'off_session' || !customer || !method) return {}
  return { method: presentCard(customer, method, charge?.payment_method_details?.card) }
}
