import { missingPayment, type Payment } from '#server/features/billing/gateways/gateway.ts'
import { fromPaypal } from './amounts.ts'
import type { Dispute } from './objects.ts'
import { parseReference } from './payment-references.ts'
import type { PaypalClient } from './paypal-client.ts'
import { findDispute, withDispute } from './read-disputes.ts'
import { orderOfCapture } from './parse-webhook.ts'
import { readOrder, readPayment } from './read-order.ts'

/**
 * Reads a payment by the id of its order, or by its capture, dispute or invoice (see payment-references.ts).
 * @returns null if PayPal has no such object
 */
export async function readByReference(client: PaypalClient, name: string): Promise<Payment | null> {
  const { kind, id } = parseReference(name)
  if (kind === 'invoice') return missingPayment(name, id)
  if (kind === 'dispute') return readDisputedPayment(client, id, name)
  const orderId = kind === 'capture' ? await orderOfCapture(client, id) : id
  return orderId === undefined ? null : readPayment(client, orderId)
}

async function readDisputedPayment(client: PaypalClient, id: string, name: string): Promise<Payment | null> {
  const dispute = await findDispute(client, id)
  if (!dispute) return null
  const captureId = dispute.disputed_transactions?.[0]?.seller_transaction_id
  const orderId = captureId === undefined ? undefined : await orderOfCapture(client, captureId)
  const order = orderId === undefined ? null : await readOrder(client, orderId)
  return order ? readPayment(client, order.id) : presentMissing(name, dispute)
}

/** Builds a payment from its dispute, for an order that PayPal has deleted. */
export function presentMissing(name: string, dispute: Dispute): Payment {
  const { dispute_amount: amount, disputed_transactions: transactions } = dispute
  const missing = missingPayment(name, transactions?.[0]?.invoice_number)
  const amountCents = amount ? fromPaypal(amount) : 0
  return withDispute({ ...missing, amountCents, currency: amount?.currency_code ?? '' }, dispute)
}
