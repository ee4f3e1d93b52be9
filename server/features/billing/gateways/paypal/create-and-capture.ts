import {
  GatewayRefused,
  notCreatedPayment,
  type Charge,
  type Payment,
} from '#server/features/billing/gateways/gateway.ts'
import { dayMs } from '#server/platform/clock.ts'
import { declineCodeOf } from './decline-codes.ts'
import { findPayment, type SearchContext } from './find-payments.ts'
import type { Order } from './objects.ts'
import { PaypalRefusal } from './paypal-client.ts'
import { presentOrder } from './present-order.ts'
import { ordersPath, readOrder } from './read-order.ts'

/** These reasons for a refused capture do not show whether the payment succeeded. The status of the order shows it. */
const inconclusiveIssues = new Set([
  'ORDER_NOT_APPROVED',
  'ORDER_ALREADY_CAPTURED',
  'ORDER_COMPLETION_IN_PROGRESS',
  'PAYER_ACTION_REQUIRED',
])

/**
 * Creates an order with our key. If the user is present, the order then waits for approval; PayPal captures a renewal
 * immediately. PayPal repeats its first answer for any request with the same key, so the answer is compared with the
 * charge.
 * @throws GatewayRefused if the key belongs to another order
 */
export async function createPaypalOrder(
  context: SearchContext,
  charge: Charge,
  body: string,
): Promise<Payment> {
  try {
    const order = await context.client.request<Order>({
      method: 'POST',
      path: ordersPath,
      key: charge.key,
      body,
    })
    const payment = presentOrder(order)
    const same = (['orderId', 'attemptId', 'amountCents', 'currency'] as const).every(
      (name) => payment[name] === charge[name],
    )
    if (!same) throw new GatewayRefused(`key ${charge.key} was used for another order`)
    return payment
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.isFinal)) throw error
    if (error.issue !== 'DUPLICATE_INVOICE_ID') return notCreatedPayment(charge, declineCodeOf(error.issue))
    return findEarlierPayment(context, charge.attemptId, error)
  }
}

/**
 * Handles `DUPLICATE_INVOICE_ID`: an earlier order has already paid the attempt, but its response was lost. Finds that
 * order.
 */
async function findEarlierPayment(
  { client, clock }: SearchContext,
  attemptId: string,
  error: PaypalRefusal,
): Promise<Payment> {
  const to = clock.now()
  const paid = await findPayment(client, { attemptId, from: new Date(to.getTime() - dayMs), to })
  if (!paid) throw error
  return paid
}

/** Charges a renewal. Returns a failed payment if PayPal requires the user's approval. */
export async function chargeRenewal(context: SearchContext, charge: Charge, body: string): Promise<Payment> {
  const created = await createPaypalOrder(context, charge, body)
  if (created.status !== 'requires_action') return created
  const payment = (await capturePayment(context, created.reference)) ?? created
  return payment.status === 'requires_action' ? failed(payment, 'PAYER_ACTION_REQUIRED') : payment
}

/**
 * Captures an approved order. PayPal captures an order at most once, even if the request is repeated.
 * @returns null if PayPal does not have the order
 */
export async function capturePayment(context: SearchContext, reference: string): Promise<Payment | null> {
  const { client } = context
  try {
    const path = `${ordersPath}/${reference}/capture`
    const key = `capture:${reference}`
    return presentOrder(await client.request<Order>({ method: 'POST', path, key, body: '{}' }))
  } catch (error) {
    if (!(error instanceof PaypalRefusal && error.isFinal)) throw error
    const order = await readOrder(client, reference)
    const payment = order && presentOrder(order)
    if (payment?.status !== 'requires_action' || inconclusiveIssues.has(error.issue)) return payment
    if (error.issue === 'DUPLICATE_INVOICE_ID') return findEarlierPayment(context, payment.attemptId, error)
    return failed(payment, error.issue)
  }
}

function failed(pendingPayment: Payment, issue: string): Payment {
  const { next: _, ...payment } = pendingPayment
  return { ...payment, status: 'failed', decline: declineCodeOf(issue) }
}
