import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import {
  selectAttempt,
  setDispute,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import { auditPayment } from '#server/features/billing/records/audit-payment.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { bookRefund, loadReturned } from './book-refund.ts'
import { askGateway, askRefund, type Outcome } from '#server/features/billing/gateways/call-gateway.ts'
import { syncOrderStatus } from './sync-order-status.ts'
import { syncTopUp } from './sync-top-up.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import { disputeName, type Payment, type PaymentGateway } from '#server/features/billing/gateways/gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import {
  enterDispute,
  enterFailedRefund,
  enterLoss,
  sourceOf,
  type Returned,
} from '#server/features/billing/ledger/ledger.ts'
import { lockOwner, selectOrder } from '#server/features/billing/records/order-queries.ts'
import {
  insertRefund,
  refundKey,
  selectRefunds,
  setRefundFailed,
  type RefundRow,
} from '#server/features/billing/records/refund-queries.ts'
import { scheduleRefund } from './send-pending-refunds.ts'
import { sendRefund } from './send-refund.ts'

/** Maximum number of readings of a payment, which is read again if our own records change meanwhile. */
const mostLooks = 5

/** A payment and its refunds as they are recorded. */
interface Known {
  attempt: AttemptRow
  refunds: RefundRow[]
  /** The amount of the order. */
  cents: number
}

type Gone = Pick<Payment, 'amountCents' | 'refundedCents' | 'dispute' | 'disputedCents'>

/**
 * Syncs ledger, order and entitlements with the refunds and disputes of a payment at its gateway: refunds that were made
 * there or failed there later, and disputes. Called for webhook events and by the reconciliation, in any order and number.
 * @param seen the payment as it was just read; it is read again before anything changes
 * @returns false if the gateway did not answer, or a refund of ours is in progress
 */
export async function syncRefundsAndDisputes(
  context: BillingContext,
  attemptId: string,
  seen?: Payment,
): Promise<boolean> {
  const { db } = context
  for (let look = 0; look < mostLooks; look++) {
    const before = await load(db, attemptId)
    const gateway = findGateway(context, before?.attempt.gateway)
    if (!before || !gateway || (look === 0 && seen && agrees(before, withKnown(seen, before)))) return true
    if (await isSending(context, before)) return false
    // A payment that was read before another refund was made would undo that one: the reading counts only if none of our records
    // changed from before it until it is applied.
    const known = await load(db, attemptId)
    const reference = known?.attempt.reference ?? null
    if (!known || reference === null) return true
    const read = await readAgain(context, gateway, { reference, disputeReference: disputeOf(known, seen) })
    if (read === 'unknown') return false
    const payment = read && withKnown(read, known)
    if (!payment || !knowsRefundsAndDisputes(payment) || agrees(known, payment)) return true
    const failed = await findFailed(context, gateway, known, payment)
    if (await inTransaction(db, (tx) => apply(context, tx, { known, payment, failed }))) return true
  }
  return false
}

/** Undefined if the ledger has no charge of the attempt: there is nothing to refund. */
async function load(db: Db, attemptId: string): Promise<Known | undefined> {
  const attempt = await selectAttempt(db, attemptId)
  if (!attempt || !(await sourceOf(db, attemptId))) return undefined
  const cents = (await selectOrder(db, attempt.order_id))?.amount_cents ?? 0
  return { attempt, refunds: await selectRefunds(db, attemptId), cents }
}

const disputeOf = ({ attempt }: Known, seen: Payment | undefined) =>
  seen?.disputeDetails?.reference ?? attempt.dispute_reference

/** Reads a payment at its gateway; if it was deleted there, by its dispute, if one is known. */
export async function readAgain(
  context: BillingContext,
  gateway: PaymentGateway,
  { reference, disputeReference }: { reference: string; disputeReference: string | null },
): Promise<Outcome<Payment>> {
  const payment = await askGateway(context, gateway, (asked) => asked.retrievePayment({ reference }))
  return payment === null ? readByDispute(context, gateway, disputeReference) : payment
}

/** Reads a payment by its dispute, which outlasts it at the gateway; null if none is known. */
export async function readByDispute(
  context: BillingContext,
  gateway: PaymentGateway,
  disputeReference: string | null,
): Promise<Outcome<Payment>> {
  if (disputeReference === null) return null
  const reference = disputeName(disputeReference)
  return askGateway(context, gateway, (asked) => asked.retrievePayment({ reference }))
}

/** Finishes our own refunds first, so that the gateway's answer includes them. @returns whether one is still in progress */
async function isSending(context: BillingContext, { refunds }: Known): Promise<boolean> {
  let sending = false
  for (const refund of refunds.filter(({ status }) => status === 'started'))
    sending = (await sendRefund(context, refund)) === 'unknown' || sending
  return sending
}

const made = ({ refunds }: Known) => refunds.filter(({ status }) => status === 'succeeded')
const sum = (refunds: readonly RefundRow[]) =>
  refunds.reduce((total, { amount_cents }) => total + amount_cents, 0)

/** Adds the recorded dispute to a payment if the gateway did not report its status. */
export function withKnownDispute(
  payment: Payment,
  known: Pick<AttemptRow, 'dispute' | 'disputed_cents'>,
): Payment {
  // PayPal reports for the capture itself that the money was taken.
  if (!payment.disputeUnread || payment.dispute !== undefined || known.dispute === null) return payment
  const left = payment.amountCents - payment.refundedCents
  return { ...payment, dispute: known.dispute, disputedCents: Math.min(known.disputed_cents, left) }
}

/** Does the same, and adds the paid and refunded amounts of a payment that is gone at the gateway. */
function withKnown(payment: Payment, known: Known): Payment {
  if (!payment.gone) return withKnownDispute(payment, known.attempt)
  const refundedCents = sum(made(known))
  const left = known.cents - refundedCents
  const disputedCents = Math.min(payment.disputedCents ?? left, left)
  return { ...payment, amountCents: known.cents, refundedCents, disputedCents }
}

/**
 * Returns whether a payment reports its refunds and disputes. A dispute may move a payment into any other state, and outlast it
 * at the gateway; without one only a succeeded payment reports its refunds.
 */
export function knowsRefundsAndDisputes(payment: Pick<Payment, 'status' | 'dispute' | 'gone'>): boolean {
  if (payment.gone) return payment.dispute !== undefined
  return payment.status === 'succeeded' || (payment.status !== 'unreadable' && isDisputeOpenOrLost(payment))
}

/** The cents that a dispute took: none if it was won, or moved no money. */
export function disputedCents({ dispute, disputedCents: cents, amountCents }: Gone): number {
  return isDisputeOpenOrLost({ dispute }) ? (cents ?? amountCents) : 0
}

function agrees(known: Known, payment: Gone): boolean {
  const { dispute, disputed_cents } = known.attempt
  return (
    sum(made(known)) === payment.refundedCents &&
    dispute === (payment.dispute ?? null) &&
    disputed_cents === disputedCents(payment)
  )
}

/**
 * Finds refunds that failed after they had succeeded. Each of ours is queried by its key, because the gateway's sum may be
 * outdated; for refunds that were made at the gateway there is only the sum.
 */
async function findFailed(
  context: BillingContext,
  gateway: PaymentGateway,
  known: Known,
  { refundedCents }: Payment,
): Promise<RefundRow[]> {
  const failed: RefundRow[] = []
  let excess = sum(made(known)) - refundedCents
  const latestFirst = made(known).toReversed()
  const { reference } = known.attempt
  for (const refund of latestFirst.filter(({ origin }) => origin !== 'gateway')) {
    if (excess <= 0 || reference === null) break
    const { amount_cents: amountCents, idempotency_key: key } = refund
    if ((await askRefund(context, gateway, { reference, amountCents, key })) !== 'refused') continue
    failed.push(refund)
    excess -= amountCents
  }
  for (const refund of latestFirst.filter(({ origin }) => origin === 'gateway')) {
    if (excess <= 0) break
    failed.push(refund)
    excess -= refund.amount_cents
  }
  return failed
}

interface Findings {
  known: Known
  payment: Payment
  failed: readonly RefundRow[]
}

/** @returns false if our records changed since the payment was read */
async function apply(
  context: BillingContext,
  tx: Tx,
  { known, payment, failed }: Findings,
): Promise<boolean> {
  await lockOwner(tx, known.attempt.order_id)
  const current = await load(tx, known.attempt.id)
  const returned = await loadReturned(tx, known.attempt.id, context.clock.now())
  if (!current || !returned || !isSame(current, known)) return false
  for (const refund of failed) await takeBack(tx, returned, refund)
  const gone = sum(made(known)) - sum(failed)
  await enterFromThere(context, tx, returned, payment.refundedCents - gone)
  const attempt = await applyDispute(tx, returned, payment)
  if (returned.source === 'to_return') {
    await returnRest(tx, returned, { known, payment, failed })
    return true
  }
  const latest = await loadReturned(tx, attempt.id, returned.at)
  if (latest) await syncOrderStatus(tx, latest)
  await syncTopUp(tx, attempt.id, returned.at)
  return true
}

/**
 * Records a second refund, of the rest of a payment that bought nothing. The gateway refuses the first one, of the whole
 * amount, if a part was refunded there. The key allows one refund per amount refunded before.
 */
async function returnRest(
  tx: Tx,
  { attempt, at }: Returned,
  { known: { refunds }, payment, failed }: Findings,
): Promise<void> {
  const cents = payment.amountCents - payment.refundedCents - disputedCents(payment)
  const refused = refunds.find(({ status, origin }) => status === 'failed' && origin !== 'gateway')
  if (cents <= 0 || !refused || failed.length > 0) return
  await scheduleRefund(tx, {
    attemptId: attempt.id,
    keyParts: [payment.refundedCents],
    cents,
    reason: refused.reason,
    now: at,
  })
}

function isSame(one: Known, other: Known): boolean {
  const stateOf = ({ attempt, refunds }: Known) =>
    JSON.stringify([attempt.dispute, attempt.disputed_cents, refunds.map(({ id, status }) => [id, status])])
  return stateOf(one) === stateOf(other)
}

async function takeBack(tx: Tx, returned: Returned, refund: RefundRow): Promise<void> {
  await setRefundFailed(tx, refund.id)
  await enterFailedRefund(tx, returned, { id: refund.id, cents: refund.amount_cents })
  const { order, at } = returned
  await auditPayment(tx, 'refund_failed', order, at, { refund_cents: refund.amount_cents })
}

/** Records a refund that was made at the gateway, like a completed refund of ours. */
async function enterFromThere(
  context: BillingContext,
  tx: Tx,
  returned: Returned,
  cents: number,
): Promise<void> {
  if (cents <= 0) return
  const { attempt, at } = returned
  const id = newId('ref')
  const refund = { id, amount_cents: cents, reason: 'refunded_at_gateway' }
  await insertRefund(tx, {
    ...refund,
    attempt_id: attempt.id,
    ...refundKey('gateway', id),
    status: 'succeeded',
    check_at: null,
    created_at: at,
  })
  await bookRefund(context, tx, returned, refund)
}

async function applyDispute(tx: Tx, returned: Returned, payment: Payment): Promise<AttemptRow> {
  const { attempt, order, at } = returned
  const now = { dispute: payment.dispute ?? null, disputed_cents: disputedCents(payment) }
  const cents = now.disputed_cents - attempt.disputed_cents
  const lost = lostCents(now) - lostCents(attempt)
  // A payment may be disputed again after a dispute that was won: that is another dispute.
  const opens = attempt.disputed_cents === 0 && cents > 0
  const openedAt = opens ? at : (attempt.disputed_at ?? at)
  if (cents !== 0) await enterDispute(tx, opens ? returned : { ...returned, openedAt }, cents)
  if (lost !== 0) await enterLoss(tx, opens ? returned : { ...returned, openedAt }, lost)
  if (now.dispute !== attempt.dispute || cents !== 0) {
    await setDispute(tx, attempt.id, {
      ...now,
      ...(payment.disputeUnread ? {} : describeDispute(payment)),
      ...(cents === 0 ? {} : { disputed_at: openedAt }),
    })
    const opened = now.dispute === 'open'
    await auditPayment(tx, opened ? 'order_disputed' : 'dispute_ended', order, at, {
      disputed_cents: now.disputed_cents,
      outcome: now.dispute ?? 'withdrawn',
    })
  }
  return attempt
}

/** The cents that a lost dispute took permanently. */
const lostCents = ({ dispute, disputed_cents }: Pick<AttemptRow, 'dispute' | 'disputed_cents'>): number =>
  dispute === 'lost' ? disputed_cents : 0

/** The details of a dispute for operators; nothing if it was withdrawn. */
function describeDispute({ dispute, disputedCents: cents, amountCents, disputeDetails = {} }: Payment) {
  if (!dispute) return {}
  const { reference = null, reason = null, dueAt = null } = disputeDetails
  return {
    dispute_cents: cents ?? amountCents,
    dispute_reason: reason,
    dispute_due_at: dueAt,
    dispute_reference: reference,
  }
}
