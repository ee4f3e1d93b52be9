import type { Payment } from '#server/features/billing/gateway.ts'
import { toCents } from './amounts.ts'
import type { Capture, Order } from './objects.ts'

const statuses: Record<string, Payment['status']> = {
  COMPLETED: 'succeeded',
  PARTIALLY_REFUNDED: 'succeeded',
  REFUNDED: 'succeeded',
  PENDING: 'processing',
  DECLINED: 'failed',
  FAILED: 'failed',
}

/**
 * PayPal's order in our words. Its capture says what became of the money; without one none has moved, whatever the order's
 * own status: an order that was approved still waits for us.
 * @throws Error for an order that is none of ours
 */
export function presentOrder(order: Order): Payment {
  const unit = order.purchase_units?.[0]
  if (!unit?.custom_id || !unit.invoice_id) throw new Error(`PayPal's order ${order.id} is none of ours`)
  const status = statusOf(order, captureOf(order))
  const next = status === 'requires_action' ? approvalOf(order) : undefined
  return {
    reference: order.id,
    status,
    orderId: unit.custom_id,
    attemptId: unit.invoice_id,
    amountCents: toCents(unit.amount),
    refundedCents: refundedCents(order),
    currency: unit.amount.currency_code,
    ...(status === 'succeeded' ? methodOf(order) : {}),
    ...(next ? { next } : {}),
    ...(status === 'failed' ? { decline: 'wallet_declined' } : {}),
    ...(status === 'cancelled' ? { decline: 'cancelled' } : {}),
  }
}

/** The capture that counts: one that brought money in, or may, before one that was declined. */
export function captureOf({ purchase_units }: Order): Capture | undefined {
  const captures = purchase_units?.[0]?.payments?.captures ?? []
  const having = (status: Payment['status']) => captures.find((one) => statuses[one.status] === status)
  return having('succeeded') ?? having('processing') ?? captures.at(-1)
}

function statusOf(order: Order, capture: Capture | undefined): Payment['status'] {
  if (!capture) return order.status === 'VOIDED' ? 'cancelled' : 'requires_action'
  const status = statuses[capture.status]
  if (!status) throw new Error(`PayPal's capture ${capture.id} is ${capture.status}`)
  return status
}

/** The wallet that was kept; its owner's id is the same whatever it is kept for. */
function methodOf({ payment_source }: Order): Pick<Payment, 'method'> {
  const { account_id: fingerprint, attributes } = payment_source?.paypal ?? {}
  const reference = attributes?.vault?.id
  if (!reference) return {}
  return { method: { reference, brand: 'paypal', last4: null, ...(fingerprint ? { fingerprint } : {}) } }
}

/** Where the person agrees to the payment; PayPal leaves it out once they have. */
function approvalOf({ links }: Order): Payment['next'] {
  const url = links?.find(({ rel }) => rel === 'payer-action')?.href
  return url !== undefined && /^https?:/.test(url) ? { type: 'redirect', url } : undefined
}

function refundedCents({ purchase_units }: Order): number {
  const refunds = purchase_units?.[0]?.payments?.refunds ?? []
  return refunds
    .filter(({ status }) => status === 'COMPLETED' || status === 'PENDING')
    .reduce((sum, { amount }) => sum + (amount ? toCents(amount) : 0), 0)
}
