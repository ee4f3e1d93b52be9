import {
  disputeName,
  gonePayment,
  unreadablePayment,
  unreadDisputes,
  type Payment,
  type Settled,
} from '#server/features/billing/gateways/gateway.ts'
import { dayMs, hourMs, type Clock } from '#server/platform/clock.ts'
import { listEvents, orderIdOf } from './list-events.ts'
import type { Dispute, Order } from './objects.ts'
import { captureName, readName } from './payment-names.ts'
import type { PaypalClient } from './paypal-client.ts'
import { captureOf, presentOrder } from './present-order.ts'
import { captureIdOf, orderOfCapture, referenceOf } from './parse-webhook.ts'
import { readDispute, readDisputesSince, withDispute } from './read-disputes.ts'
import { readNamed } from './read-named.ts'
import { readOrder, readPayment } from './read-order.ts'

/**
 * What PayPal did is in its list of events within minutes as a rule, on a slow day hours later: PayPal promises no time.
 * Six hours, for which it also keeps a `PayPal-Request-Id` alive, with one to spare (docs/decisions/0010).
 */
export const visibleWithinMs = 7 * hourMs
/** Our clock may be ahead of PayPal's. */
const clocksDifferMs = 60_000

/**
 * Finds the payment of an attempt whose order we never heard of. PayPal cannot look an order up by anything but its id, but
 * keeps what it told our webhook, and a capture names the attempt (docs/decisions/0010). An order that was never captured is
 * not found: nobody was sent to approve it, and it takes no money.
 */
export async function findPayment(
  client: PaypalClient,
  { attemptId, from, to = later(from, visibleWithinMs) }: { attemptId: string; from: Date; to?: Date },
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

/** PayPal lists events of 30 days, and disputes that were opened within 180; a day is left for clocks and pages. */
export const eventsLastMs = 29 * dayMs
const disputesLastMs = 179 * dayMs

/** The events that change a payment that was captured long before. */
export const laterEvents = [
  'PAYMENT.CAPTURE.DECLINED',
  'PAYMENT.CAPTURE.DENIED',
  'PAYMENT.CAPTURE.PENDING',
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'PAYMENT.REFUND.PENDING',
  'PAYMENT.REFUND.FAILED',
]

/**
 * Every payment that was captured, refunded or disputed since, the oldest first, each as it stands now. Each order is read by
 * itself, so that one which was only captured, and whose money is known of, is left out. What cannot be read is listed as
 * unreadable: one bad record does not hide the others.
 */
export async function listPayments(client: PaypalClient, since: Date, settled?: Settled): Promise<Payment[]> {
  const disputed = await readDisputesSince(client, since)
  const { byCapture: disputes, isUnread } = disputed
  const listed = await listOrderIds(client, since, disputes, settled)
  const unreadable = [...disputed.unreadable.map(disputeName), ...listed.unreadable]
  if (isUnread) unreadable.push(unreadDisputes)
  const payments = unreadable.map(unreadablePayment)
  for (const id of listed.ids) {
    const payment = await readListed(client, id, { since, disputes, isUnread }).catch(() =>
      unreadablePayment(id),
    )
    if (payment) payments.push(payment)
  }
  return payments
}

interface Listing {
  since: Date
  /** Those opened since, by capture. */
  disputes: ReadonlyMap<string, Dispute>
  isUnread: boolean
}

/** @returns undefined for an order that was never captured */
async function readListed(
  client: PaypalClient,
  id: string,
  { since, disputes, isUnread }: Listing,
): Promise<Payment | undefined> {
  if (readName(id).kind !== 'order') return (await readNamed(client, id)) ?? undefined
  const order = await readOrder(client, id)
  if (!order) return gonePayment(id)
  const captureId = captureOf(order)?.id
  if (captureId === undefined) return undefined
  // A dispute lasts for months: of a payment that is old there may be an older one.
  const known =
    disputes.get(captureId) ??
    (isUnread ? 'unread' : isOld(order, since) ? await readDispute(client, captureId) : undefined)
  return withDispute(presentOrder(order), known)
}

/**
 * Every payment with a dispute that was opened since, the oldest first.
 * @throws where PayPal does not give its disputes
 */
export async function listDisputed(
  { client, clock }: { client: PaypalClient; clock: Clock },
  asked: Date,
): Promise<Payment[]> {
  const since = new Date(Math.max(asked.getTime(), clock.now().getTime() - disputesLastMs))
  const { byCapture: disputes, unreadable, isUnread } = await readDisputesSince(client, since)
  if (isUnread) throw new Error('PayPal did not list its disputes')
  const payments = unreadable.map((id) => unreadablePayment(disputeName(id)))
  for (const [captureId, dispute] of disputes) {
    const read = async () =>
      readListed(client, await nameOfDisputed(client, captureId, dispute), { since, disputes, isUnread })
    const payment = await read().catch(() => unreadablePayment(disputeName(dispute.dispute_id)))
    if (payment) payments.push(payment)
  }
  return payments
}

/** Whether an order was made before a time. */
function isOld({ create_time }: Order, since: Date): boolean {
  return create_time !== undefined && Date.parse(create_time) < since.getTime()
}

/** The order of a disputed capture, or the dispute where PayPal has no such order any more. */
async function nameOfDisputed(
  client: PaypalClient,
  captureId: string,
  { dispute_id }: Dispute,
): Promise<string> {
  const id = await orderOfCapture(client, captureId)
  return id !== undefined && (await readOrder(client, id)) ? id : disputeName(dispute_id)
}

async function listOrderIds(
  client: PaypalClient,
  since: Date,
  disputes: ReadonlyMap<string, Dispute>,
  settled?: Settled,
): Promise<{ ids: string[]; unreadable: string[] }> {
  const captured = new Set<string>()
  for await (const event of listEvents(client, { from: since, type: 'PAYMENT.CAPTURE.COMPLETED' })) {
    const id = orderIdOf(event)
    if (id !== undefined) captured.add(id)
  }
  const known = await settled?.([...captured])
  const ids = new Set([...captured].filter((id) => !known?.has(id)))
  const unreadable: string[] = []
  const add = async (name: string, find: Promise<string | undefined>) => {
    const id = await find.catch(() => void unreadable.push(name))
    if (id !== undefined) ids.add(id)
  }
  for (const type of laterEvents)
    for await (const event of listEvents(client, { from: since, type }))
      await add(captureName(captureIdOf(event) ?? event.id), referenceOf(client, event))
  for (const [captureId, dispute] of disputes)
    await add(disputeName(dispute.dispute_id), nameOfDisputed(client, captureId, dispute))
  // PayPal tells the latest first.
  return { ids: [...ids].toReversed(), unreadable }
}
