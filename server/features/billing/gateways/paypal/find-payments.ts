import type { Payment } from '#server/features/billing/gateway.ts'
import { listEvents, orderIdOf } from './list-events.ts'
import type { PaypalClient } from './paypal-client.ts'
import { readPayment } from './read-order.ts'

/** What PayPal did is told of within minutes; the rest is room for a slow day. */
const toldWithinMs = 6 * 60 * 60_000
/** Our clock may be ahead of PayPal's. */
const clocksDifferMs = 60_000

/**
 * Finds the payment of an attempt whose order we never heard of. PayPal cannot look an order up by anything but its id, but
 * keeps what it told our webhook, and a capture names the attempt (docs/decisions/0010). An order that was never captured is
 * not found: nobody was sent to approve it, and it takes no money.
 */
export async function findPayment(
  client: PaypalClient,
  { attemptId, from }: { attemptId: string; from: Date },
): Promise<Payment | null> {
  const span = {
    from: new Date(from.getTime() - clocksDifferMs),
    to: new Date(from.getTime() + toldWithinMs),
  }
  for await (const event of listEvents(client, span)) {
    const orderId = event.resource?.invoice_id === attemptId ? orderIdOf(event) : undefined
    const payment = orderId === undefined ? null : await readPayment(client, orderId)
    if (payment) return payment
  }
  return null
}

/** Every payment that was captured since, oldest first, each as it stands now. */
export async function listPayments(client: PaypalClient, since: Date): Promise<Payment[]> {
  const ids = new Set<string>()
  for await (const event of listEvents(client, { from: since, type: 'PAYMENT.CAPTURE.COMPLETED' })) {
    const id = orderIdOf(event)
    if (id !== undefined) ids.add(id)
  }
  const payments: Payment[] = []
  // PayPal tells the latest first.
  for (const id of [...ids].toReversed()) {
    const payment = await readPayment(client, id)
    if (payment) payments.push(payment)
  }
  return payments
}
