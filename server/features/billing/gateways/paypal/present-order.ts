import { unreadablePayment, type Payment } from '#server/features/billing/gateways/gateway.ts'
import { fromPaypal } from './amounts.ts'
import type { Capture, Order } from './objects.ts'

const statuses: Record<string, Payment['status']> = {
  COMPLETED: 'succeeded',
  PARTIALLY_REFUNDED: 'succeeded',
  REFUNDED: 'succeeded',
  PENDING: 'processing',
  DECLINED: 'failed',
  FAILED: 'failed',
  // The payment succeeded, and PayPal reversed it later (see `reversalOf`).
  REVERSED: 'succeeded',
}

/**
 * Converts PayPal's order to a payment. The order's capture determines the status. Without a capture no money has
 * moved, because even an approved order must be captured. Orders of other shops have none of our ids. In our older
 * orders, `custom_id` has a comma and more text after the order id.
 */
export function presentOrder(order: Order): Payment {
  const unit = order.purchase_units?.[0]
  if (!unit?.amount?.currency_code) return unreadablePayment(order.id)
  const capture = captureOf(order)
  const status = statusOf(order, capture)
  const next = status === 'requires_action' ? approvalOf(order) : undefined
  const payment = {
    reference: order.id,
    status,
    orderId: unit.custom_id?.split(',')[0] ?? '',
    ...(unit.reference_id === undefined ? {} : { purchase: unit.reference_id }),
    attemptId: unit.invoice_id ?? '',
    amountCents: fromPaypal(unit.amount),
    currency: unit.amount.currency_code,
    ...refundsOf(order),
  }
  return {
    ...payment,
    ...(capture?.status === 'REVERSED' ? reversalOf(payment) : {}),
    ...(status === 'succeeded' ? methodOf(order) : {}),
    ...(next ? { next } : {}),
    ...(status === 'failed' ? { decline: 'wallet_declined' } : {}),
    ...(status === 'cancelled' ? { decline: 'cancelled' } : {}),
  }
}

/** Returns the capture that decides an order: one that succeeded, otherwise a pending one, otherwise the last one. */
export function captureOf({ purchase_units }: Order): Capture | undefined {
  const captures = purchase_units?.[0]?.payments?.captures ?? []
  const findByStatus = (status: Payment['status']) => captures.find((one) => statuses[one.status] === status)
  return findByStatus('succeeded') ?? findByStatus('processing') ?? captures.at(-1)
}

function statusOf(order: Order, capture: Capture | undefined): Payment['status'] {
  if (!capture) return order.status === 'VOIDED' ? 'cancelled' : 'requires_action'
  return statuses[capture.status] ?? 'unreadable'
}

/** Presents a reversed capture as a lost dispute about the amount that was not refunded. */
function reversalOf({ amountCents, refundedCents }: Pick<Payment, 'amountCents' | 'refundedCents'>) {
  return { dispute: 'lost', disputedCents: amountCents - refundedCents } as const
}

/** Returns the saved wallet. The fingerprint is the id of the PayPal account, which is the same for all its setups. */
function methodOf({ payment_source }: Order): Pick<Payment, 'method'> {
  const { account_id: fingerprint, attributes } = payment_source?.paypal ?? {}
  const reference = attributes?.vault?.id
  if (!reference) return {}
  return { method: { reference, brand: 'paypal', last4: null, ...(fingerprint ? { fingerprint } : {}) } }
}

/** Returns the URL where the user approves the payment. PayPal omits this URL after the approval. */
function approvalOf({ links }: Order): Payment['next'] {
  const url = links?.find(({ rel }) => rel === 'payer-action')?.href
  return url !== undefined && /^https?:/.test(url) ? { type: 'redirect', url } : undefined
}

/** Sums the refunds. A pending refund counts as refunded, although it may fail days later. */
function refundsOf({ purchase_units }: Order): Pick<Payment, 'refundedCents' | 'refundPending'> {
  const refunds = purchase_units?.[0]?.payments?.refunds ?? []
  const refundedCents = refunds
    .filter(({ status }) => status === 'COMPLETED' || status === 'PENDING')
    .reduce((sum, { amount }) => sum + (amount ? fromPaypal(amount) : 0), 0)
  const refundPending = refunds.some(({ status }) => status === 'PENDING')
  return { refundedCents, ...(refundPending ? { refundPending } : {}) }
}
