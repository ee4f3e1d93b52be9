import type { Payment, Settled } from '#server/features/billing/gateway.ts'
import { hourMs } from '#server/platform/clock.ts'
import { listEvents, orderIdOf } from './list-events.ts'
import type { Order } from './objects.ts'
import type { PaypalClient } from './paypal-client.ts'
import { captureOf, presentOrder } from './present-order.ts'
import { orderOfCapture, referenceOf } from './read-notification.ts'
import { readDispute, readDisputesSince, withDispute } from './read-disputes.ts'
import { readOrder, readPayment } from './read-order.ts'

/**
 * What PayPal did stands in its list of events within minutes as a rule, on a slow day hours later: PayPal promises no time.
 * Six hours, for which it also keeps a `PayPal-Request-Id` alive, with one to spare (docs/decisions/0010).
 */
export const toldWithinMs = 7 * hourMs
/** Our clock may be ahead of PayPal's. */
const clocksDifferMs = 60_000

/**
 * Finds the payment of an attempt whose order we never heard of. PayPal cannot look an order up by anything but its id, but
 * keeps what it told our webhook, and a capture names the attempt (docs/decisions/0010). An order that was never captured is
 * not found: nobody was sent to approve it, and it takes no money.
 */
export async function findPayment(
  client: PaypalClient,
  { attemptId, from, to = later(from, toldWithinMs) }: { attemptId: string; from: Date; to?: Date },
): Promise<Payment | null> {
  const span = { from: later(from, -clocksDifferMs), to: later(to, clocksDifferMs) }
  for await (const event of listEvents(client, span)) {
    const orderId = event.resource?.invoice_id === attemptId ? orderIdOf(event) : undefined
    const payment = orderId === undefined ? null : await readPayment(client, orderId)
    if (payment) return payment
  }
  return null
}

function later(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds)
}

/** What may have changed a payment that was captured long before. */
const givesBack = ['PAYMENT.CAPTURE.REFUNDED', 'PAYMENT.CAPTURE.REVERSED']

/**
 * Every payment that was captured, refunded or disputed since, the oldest first, each as it stands now. Each order is read by
 * itself, so that one which was only captured, and whose money is known of, is left out.
 */
export async function listPayments(client: PaypalClient, since: Date, settled?: Settled): Promise<Payment[]> {
  const disputes = await readDisputesSince(client, since)
  const payments: Payment[] = []
  for (const id of await listOrderIds(client, since, [...disputes.keys()], settled)) {
    const order = await readOrder(client, id)
    const captureId = order ? captureOf(order)?.id : undefined
    if (!order || captureId === undefined) continue
    const payment = presentOrder(order)
    const known = disputes.get(captureId)
    // A dispute lasts for months: of a payment that is old there may be an older one.
    payments.push(
      withDispute(payment, known ?? (isOld(order, since) ? await readDispute(client, captureId) : undefined)),
    )
  }
  return payments
}

/** Whether an order was made before a time. */
function isOld({ create_time }: Order, since: Date): boolean {
  return create_time !== undefined && Date.parse(create_time) < since.getTime()
}

async function listOrderIds(
  client: PaypalClient,
  since: Date,
  disputedCaptures: readonly string[],
  settled?: Settled,
): Promise<string[]> {
  const captured = new Set<string>()
  for await (const event of listEvents(client, { from: since, type: 'PAYMENT.CAPTURE.COMPLETED' })) {
    const id = orderIdOf(event)
    if (id !== undefined) captured.add(id)
  }
  const known = await settled?.([...captured])
  const ids = new Set([...captured].filter((id) => !known?.has(id)))
  for (const type of givesBack)
    for await (const event of listEvents(client, { from: since, type }))
      ids.add(await referenceOf(client, event))
  for (const captureId of disputedCaptures) {
    const id = await orderOfCapture(client, captureId)
    if (id !== undefined) ids.add(id)
  }
  // PayPal tells the latest first.
  return [...ids].toReversed()
}
