import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import type { Order } from './objects.ts'
import { PaypalRefusal, type PaypalClient } from './paypal-client.ts'
import { captureOf, presentOrder } from './present-order.ts'
import { readLatestDispute, withDispute } from './read-disputes.ts'

export const ordersPath = '/v2/checkout/orders'

/** Reads an order. @returns null if PayPal has no such order */
export async function readOrder(client: PaypalClient, reference: string): Promise<Order | null> {
  if (!/^[A-Z0-9]{1,36}$/.test(reference)) return null
  try {
    return await client.request<Order>({ method: 'GET', path: `${ordersPath}/${reference}` })
  } catch (error) {
    if (error instanceof PaypalRefusal && error.status === 404) return null
    throw error
  }
}

/** Reads an order as a payment, with its dispute. @returns null if PayPal has no such order */
export async function readPayment(client: PaypalClient, reference: string): Promise<Payment | null> {
  const order = await readOrder(client, reference)
  return order && presentWithDispute(client, order)
}

/**
 * Converts an order to a payment, with the dispute about its capture. Queries the dispute for every status of the
 * capture, because a dispute may change that status.
 */
export async function presentWithDispute(client: PaypalClient, order: Order): Promise<Payment> {
  const payment = presentOrder(order)
  const capture = captureOf(order)
  return capture ? withDispute(payment, await readLatestDispute(client, capture.id)) : payment
}
