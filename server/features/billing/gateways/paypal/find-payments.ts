import {
  toDisputeReference,
  missingPayment,
  unreadablePayment,
  unreadDisputesReference,
  type Payment,
  type FindBookedPayments,
} from '#server/features/billing/gateways/gateway.ts'
import { dayMs, hourMs, type Clock } from '#server/platform/clock.ts'
import { listEventPages, listEvents, orderIdOf } from './list-events.ts'
import type { Dispute, Order } from './objects.ts'
import { toCaptureReference, parseReference } from './payment-references.ts'
import type { PaypalClient } from './paypal-client.ts'
import { captureOf, presentOrder } from './present-order.ts'
import { captureIdOf, orderOfCapture, referenceOf } from './parse-webhook.ts'
import {
  readLatestDispute,
  readDisputesSince,
  withDispute,
  type DisputeLookup,
  type OpenedDisputes,
} from './read-disputes.ts'
import { readByReference } from './read-by-reference.ts'
import { readOrder, readPayment } from './read-order.ts'

/**
 * Assumed maximum time until PayPal lists the event of a payment. That usually takes minutes, sometimes hours; PayPal
 * guarantees no limit. The value is the six hours for which PayPal stores a `PayPal-Request-Id`, plus one hour
 * (docs/decisions/0010).
 */
export const lookupLagMs = 7 * hourMs
/** Tolerance for the difference between our clock and PayPal's. */
const clockToleranceMs = 60_000

/** The PayPal client, and the clock for searches that begin or end at the current time. */
export interface SearchContext {
  client: PaypalClient
  clock: Clock
}

/**
 * Finds the payment of an attempt if PayPal's response with the order id was lost. PayPal finds orders only by id, but
 * it stores the events for our webhook, and the event of a capture contains the attempt's id (docs/decisions/0010). An
 * order without a capture is not found. That is harmless, because no user was sent to approve this order, so it takes
 * no money.
 */
export async function findPayment(
  client: PaypalClient,
  { attemptId, from, to = addMs(from, lookupLagMs) }: { attemptId: string; from: Date; to?: Date },
): Promise<Payment | null> {
  const span = { from: addMs(from, -clockToleranceMs), to: addMs(to, clockToleranceMs) }
  for await (const event of listEvents(client, span)) {
    const orderId = event.resource?.invoice_id === attemptId ? orderIdOf(event) : undefined
    const payment = orderId === undefined ? null : await readPayment(client, orderId)
    if (payment) return payment
  }
  return null
}

function addMs(time: Date, milliseconds: number): Date {
  return new Date(time.getTime() + milliseconds)
}

/**
 * PayPal lists events of the last 30 days, and disputes opened in the last 180 days. Both limits here are one day
 * shorter, to allow for clock differences and paging.
 */
export const eventRetentionMs = 29 * dayMs
const disputeRetentionMs = 179 * dayMs

/** The events that change a payment after its capture, possibly much later. */
export const followUpEvents = [
  'PAYMENT.CAPTURE.DECLINED',
  'PAYMENT.CAPTURE.DENIED',
  'PAYMENT.CAPTURE.PENDING',
  'PAYMENT.CAPTURE.REFUNDED',
  'PAYMENT.CAPTURE.REVERSED',
  'PAYMENT.REFUND.PENDING',
  'PAYMENT.REFUND.FAILED',
]

/** Number of payments on a page of the list. */
const pageSize = 50

/**
 * Lists every payment that was captured, refunded or disputed after `since`, in its current state. While this function
 * reads the events, it yields empty pages, because the caller has a time limit for each page. Then it yields one page
 * with only placeholders: one for each event or dispute that could not be read, and one if PayPal did not list its
 * disputes. This page may be empty. The next pages contain the payments, oldest first.
 *
 * Reading an order takes a request, so an order is skipped if its capture is already booked and no later event or
 * dispute concerns it. A payment that cannot be read is listed as `unreadable`, so that it does not hide the others.
 */
export async function* listPayments(
  client: PaypalClient,
  since: Date,
  findBooked?: FindBookedPayments,
): AsyncGenerator<Payment[]> {
  const disputed = await readDisputesSince(client, since)
  const listed: ListedOrders = { ids: new Set(), unreadable: [] }
  for await (const _ of listUnbookedOrders(client, since, listed, findBooked)) yield []
  for await (const _ of listChangedOrders(client, since, disputed.byCapture, listed)) yield []
  const unreadable = [...disputed.unreadable.map(toDisputeReference), ...listed.unreadable]
  if (disputed.isUnread) unreadable.push(unreadDisputesReference)
  yield unreadable.map(unreadablePayment)
  // PayPal lists the latest event first.
  const ids = [...listed.ids].toReversed()
  for (let start = 0; start < ids.length; start += pageSize) {
    const page: Payment[] = []
    for (const id of ids.slice(start, start + pageSize)) {
      const payment = await readListed(client, id, { since, disputed }).catch(() => unreadablePayment(id))
      if (payment) page.push(payment)
    }
    yield page
  }
}

interface ListContext {
  since: Date
  /** The disputes that were opened after `since`. */
  disputed: OpenedDisputes
}

/** Reads a listed payment. @returns undefined for an order that was never captured */
async function readListed(
  client: PaypalClient,
  id: string,
  { since, disputed }: ListContext,
): Promise<Payment | undefined> {
  if (parseReference(id).kind !== 'order') return (await readByReference(client, id)) ?? undefined
  const order = await readOrder(client, id)
  if (!order) return missingPayment(id)
  const captureId = captureOf(order)?.id
  if (captureId === undefined) return undefined
  return withDispute(presentOrder(order), await findDispute(client, order, captureId, { since, disputed }))
}

async function findDispute(
  client: PaypalClient,
  order: Order,
  captureId: string,
  { since, disputed: { byCapture, unreadable, isUnread } }: ListContext,
): Promise<DisputeLookup> {
  if (isUnread) return 'unread'
  const listed = byCapture.get(captureId)
  // An unreadable dispute may be a later dispute of the same payment, so the latest one is queried.
  if (listed && unreadable.length === 0) return listed
  // A payment from before `since` may have a dispute from before `since`, which is not in the list.
  return listed || isCreatedBefore(order, since) ? readLatestDispute(client, captureId) : undefined
}

/**
 * Lists every payment with a dispute that was opened after `requestedSince`, oldest first.
 * @throws Error if PayPal does not return its disputes
 */
export async function listDisputed(
  { client, clock }: SearchContext,
  requestedSince: Date,
): Promise<Payment[]> {
  const since = new Date(Math.max(requestedSince.getTime(), clock.now().getTime() - disputeRetentionMs))
  const disputed = await readDisputesSince(client, since)
  if (disputed.isUnread) throw new Error('PayPal did not list its disputes')
  const payments = disputed.unreadable.map((id) => unreadablePayment(toDisputeReference(id)))
  for (const [captureId, dispute] of disputed.byCapture) {
    const read = async () =>
      readListed(client, await referenceOfDisputed(client, captureId, dispute), { since, disputed })
    const payment = await read().catch(() => unreadablePayment(toDisputeReference(dispute.dispute_id)))
    if (payment) payments.push(payment)
  }
  return payments
}

/** Returns whether an order was created before a time. */
function isCreatedBefore({ create_time }: Order, since: Date): boolean {
  return create_time !== undefined && Date.parse(create_time) < since.getTime()
}

/** Returns the order id of a disputed capture, or a reference to the dispute if PayPal has deleted the order. */
async function referenceOfDisputed(
  client: PaypalClient,
  captureId: string,
  { dispute_id }: Dispute,
): Promise<string> {
  const id = await orderOfCapture(client, captureId)
  return id !== undefined && (await readOrder(client, id)) ? id : toDisputeReference(dispute_id)
}

interface ListedOrders {
  ids: Set<string>
  /** References of the captures and disputes whose order could not be read. */
  unreadable: string[]
}

/** Adds the orders with a capture after `since` that is not booked yet. Yields after each page of events. */
async function* listUnbookedOrders(
  client: PaypalClient,
  since: Date,
  { ids }: ListedOrders,
  findBooked?: FindBookedPayments,
): AsyncGenerator<void> {
  for await (const events of listEventPages(client, { from: since, type: 'PAYMENT.CAPTURE.COMPLETED' })) {
    const captured = events.map(orderIdOf).filter((id) => id !== undefined)
    const booked = await findBooked?.(captured)
    for (const id of captured) if (!booked?.has(id)) ids.add(id)
    yield
  }
}

/** Adds the orders with a later event or a dispute after `since`. Yields after each page of events and each dispute. */
async function* listChangedOrders(
  client: PaypalClient,
  since: Date,
  disputes: ReadonlyMap<string, Dispute>,
  { ids, unreadable }: ListedOrders,
): AsyncGenerator<void> {
  const add = async (fallbackReference: string, find: Promise<string | undefined>) => {
    const id = await find.catch(() => void unreadable.push(fallbackReference))
    if (id !== undefined) ids.add(id)
  }
  for (const type of followUpEvents)
    for await (const events of listEventPages(client, { from: since, type })) {
      for (const event of events)
        await add(toCaptureReference(captureIdOf(event) ?? event.id), referenceOf(client, event))
      yield
    }
  for (const [captureId, dispute] of disputes) {
    await add(toDisputeReference(dispute.dispute_id), referenceOfDisputed(client, captureId, dispute))
    yield
  }
}
