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
import { bookRefund, loadLedgerPayment } from './book-refund.ts'
import { callGateway, requestRefund, type Outcome } from '#server/features/billing/gateways/call-gateway.ts'
import { syncOrderStatus } from './sync-order-status.ts'
import { syncTopUp } from './sync-top-up.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import {
  toDisputeReference,
  type Payment,
  type PaymentGateway,
} from '#server/features/billing/gateways/gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import {
  enterDispute,
  enterFailedRefund,
  enterDisputeLoss,
  sourceAccountOf,
  type LedgerPayment,
} from '#server/features/billing/ledger/ledger.ts'
import { lockOrderOwner, selectOrder } from '#server/features/billing/records/order-queries.ts'
import {
  insertRefund,
  refundKey,
  selectRefunds,
  setRefundFailed,
  type RefundRow,
} from '#server/features/billing/records/refund-queries.ts'
import { scheduleRefund } from './send-pending-refunds.ts'
import { sendRefund } from './send-refund.ts'

/** Maximum number of times a payment is read. It is read again if our own records changed while it was read. */
const maxReadings = 5

/** A payment and its refunds according to our records. */
interface RecordedPayment {
  attempt: AttemptRow
  refunds: RefundRow[]
  /** The amount of the order. */
  cents: number
}

type ReversalAmounts = Pick<Payment, 'amountCents' | 'refundedCents' | 'dispute' | 'disputedCents'>

/**
 * Syncs ledger, order and entitlements with the disputes of a payment at its gateway, and with refunds that were made
 * or failed there. Webhook events and the reconciliation call this function in any order and any number of times.
 * @param lastRead the payment as just read; it is read again before anything is changed
 * @returns false if the gateway did not answer, or a refund of ours is in progress
 */
export async function syncRefundsAndDisputes(
  context: BillingContext,
  attemptId: string,
  lastRead?: Payment,
): Promise<boolean> {
  const { db } = context
  for (let reading = 0; reading < maxReadings; reading++) {
    const before = await loadRecorded(db, attemptId)
    const gateway = findGateway(context, before?.attempt.gateway)
    if (
      !before ||
      !gateway ||
      (reading === 0 && lastRead && matchesRecords(before, withRecordedAmounts(lastRead, before)))
    )
      return true
    if (await finishOwnRefunds(context, before)) return false
    // An outdated reading could undo a refund that was made after it. A reading is therefore applied only if our
    // records did not change between its start and its application.
    const recorded = await loadRecorded(db, attemptId)
    const reference = recorded?.attempt.reference ?? null
    if (!recorded || reference === null) return true
    const read = await retrievePaymentOrDispute(context, gateway, {
      reference,
      disputeReference: disputeReferenceOf(recorded, lastRead),
    })
    if (read === 'unknown') return false
    const payment = read && withRecordedAmounts(read, recorded)
    if (!payment || !reportsRefundsAndDisputes(payment) || matchesRecords(recorded, payment)) return true
    const failed = await findFailedRefunds(context, gateway, recorded, payment)
    if (await inTransaction(db, (tx) => applyFindings(context, tx, { recorded, payment, failed })))
      return true
  }
  return false
}

/**
 * Loads the recorded payment of an attempt. Returns undefined if it is not in the ledger, because there is nothing to
 * sync.
 */
async function loadRecorded(db: Db, attemptId: string): Promise<RecordedPayment | undefined> {
  const attempt = await selectAttempt(db, attemptId)
  if (!attempt || !(await sourceAccountOf(db, attemptId))) return undefined
  const cents = (await selectOrder(db, attempt.order_id))?.amount_cents ?? 0
  return { attempt, refunds: await selectRefunds(db, attemptId), cents }
}

const disputeReferenceOf = ({ attempt }: RecordedPayment, lastRead: Payment | undefined) =>
  lastRead?.disputeDetails?.reference ?? attempt.dispute_reference

/** Reads a payment at its gateway. If the gateway has deleted the payment, reads it by its dispute, if one is known. */
export async function retrievePaymentOrDispute(
  context: BillingContext,
  gateway: PaymentGateway,
  { reference, disputeReference }: { reference: string; disputeReference: string | null },
): Promise<Outcome<Payment>> {
  const payment = await callGateway(context, gateway, (port) => port.retrievePayment({ reference }))
  return payment === null ? retrieveByDispute(context, gateway, disputeReference) : payment
}

/**
 * Reads a payment by its dispute, which the gateway stores longer than the payment. Returns null if no dispute is
 * known.
 */
export async function retrieveByDispute(
  context: BillingContext,
  gateway: PaymentGateway,
  disputeReference: string | null,
): Promise<Outcome<Payment>> {
  if (disputeReference === null) return null
  const reference = toDisputeReference(disputeReference)
  return callGateway(context, gateway, (port) => port.retrievePayment({ reference }))
}

/**
 * Sends our own started refunds first, so that the gateway's report includes them.
 * @returns whether a refund is in progress afterwards
 */
async function finishOwnRefunds(context: BillingContext, { refunds }: RecordedPayment): Promise<boolean> {
  let sending = false
  for (const refund of refunds.filter(({ status }) => status === 'started'))
    sending = (await sendRefund(context, refund)) === 'unknown' || sending
  return sending
}

const succeededRefunds = ({ refunds }: RecordedPayment) =>
  refunds.filter(({ status }) => status === 'succeeded')
const sumRefunds = (refunds: readonly RefundRow[]) =>
  refunds.reduce((total, { amount_cents }) => total + amount_cents, 0)

/** Adds the recorded dispute to a payment if the gateway did not report its status. */
export function withRecordedDispute(
  payment: Payment,
  recorded: Pick<AttemptRow, 'dispute_status' | 'dispute_debited_cents'>,
): Payment {
  // PayPal's capture also shows a dispute that took the money. That report is used unchanged.
  if (!payment.disputeUnread || payment.dispute !== undefined || recorded.dispute_status === null)
    return payment
  const unrefundedCents = payment.amountCents - payment.refundedCents
  return {
    ...payment,
    dispute: recorded.dispute_status,
    disputedCents: Math.min(recorded.dispute_debited_cents, unrefundedCents),
  }
}

/**
 * Adds the recorded paid and refunded amounts to a payment that the gateway has deleted. For any other payment, does
 * the same as `withRecordedDispute`.
 */
function withRecordedAmounts(payment: Payment, recorded: RecordedPayment): Payment {
  if (!payment.missing) return withRecordedDispute(payment, recorded.attempt)
  const refundedCents = sumRefunds(succeededRefunds(recorded))
  const unrefundedCents = recorded.cents - refundedCents
  const disputedCents = Math.min(payment.disputedCents ?? unrefundedCents, unrefundedCents)
  return { ...payment, amountCents: recorded.cents, refundedCents, disputedCents }
}

/**
 * Returns whether a report of the gateway includes the payment's refunds and disputes. A payment that the gateway has
 * deleted must have a dispute. Any other payment must have succeeded, or have a readable status and a dispute that is
 * open or lost.
 */
export function reportsRefundsAndDisputes(payment: Pick<Payment, 'status' | 'dispute' | 'missing'>): boolean {
  if (payment.missing) return payment.dispute !== undefined
  return payment.status === 'succeeded' || (payment.status !== 'unreadable' && isDisputeOpenOrLost(payment))
}

/** Returns the cents that a dispute took: zero if there is no dispute or it was won. */
export function disputedCents({ dispute, disputedCents: cents, amountCents }: ReversalAmounts): number {
  return isDisputeOpenOrLost({ dispute }) ? (cents ?? amountCents) : 0
}

function matchesRecords(recorded: RecordedPayment, payment: ReversalAmounts): boolean {
  const { dispute_status, dispute_debited_cents } = recorded.attempt
  return (
    sumRefunds(succeededRefunds(recorded)) === payment.refundedCents &&
    dispute_status === (payment.dispute ?? null) &&
    dispute_debited_cents === disputedCents(payment)
  )
}

/**
 * Finds refunds that failed after they had succeeded. Repeats the requests of our own refunds with their keys, because
 * the gateway's sum may be outdated. A repeated request refunds nothing twice, and the gateway refuses it if the refund
 * has failed. A refund that was made at the gateway has no key of ours, so only the sum shows whether it failed.
 */
async function findFailedRefunds(
  context: BillingContext,
  gateway: PaymentGateway,
  recorded: RecordedPayment,
  { refundedCents }: Payment,
): Promise<RefundRow[]> {
  const failed: RefundRow[] = []
  let excess = sumRefunds(succeededRefunds(recorded)) - refundedCents
  const latestFirst = succeededRefunds(recorded).toReversed()
  const { reference } = recorded.attempt
  for (const refund of latestFirst.filter(({ origin }) => origin !== 'gateway')) {
    if (excess <= 0 || reference === null) break
    const { amount_cents: amountCents, idempotency_key: key } = refund
    if ((await requestRefund(context, gateway, { reference, amountCents, key })) !== 'refused') continue
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
  recorded: RecordedPayment
  payment: Payment
  failed: readonly RefundRow[]
}

/**
 * Applies what was read at the gateway to our records.
 * @returns false if our records have changed since the payment was read
 */
async function applyFindings(
  context: BillingContext,
  tx: Tx,
  { recorded, payment, failed }: Findings,
): Promise<boolean> {
  await lockOrderOwner(tx, recorded.attempt.order_id)
  const current = await loadRecorded(tx, recorded.attempt.id)
  const ledgerPayment = await loadLedgerPayment(tx, recorded.attempt.id, context.clock.now())
  if (!current || !ledgerPayment || !areRecordsEqual(current, recorded)) return false
  for (const refund of failed) await markRefundFailed(tx, ledgerPayment, refund)
  const recordedCents = sumRefunds(succeededRefunds(recorded)) - sumRefunds(failed)
  await recordGatewayRefund(context, tx, ledgerPayment, payment.refundedCents - recordedCents)
  await applyDispute(tx, ledgerPayment, payment)
  if (ledgerPayment.source === 'refunds_payable') {
    await scheduleRemainingRefund(tx, ledgerPayment, { recorded, payment, failed })
    return true
  }
  const latest = await loadLedgerPayment(tx, recorded.attempt.id, ledgerPayment.at)
  if (latest) await syncOrderStatus(tx, latest)
  await syncTopUp(tx, recorded.attempt.id, ledgerPayment.at)
  return true
}

/**
 * Schedules a second refund, for the rest of a payment that bought nothing. If a part was already refunded at the
 * gateway, the gateway refuses the first refund, which is for the whole amount. The key permits one such refund per
 * already refunded amount.
 */
async function scheduleRemainingRefund(
  tx: Tx,
  { attempt, at }: LedgerPayment,
  { recorded: { refunds }, payment, failed }: Findings,
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

function areRecordsEqual(one: RecordedPayment, other: RecordedPayment): boolean {
  const stateOf = ({ attempt, refunds }: RecordedPayment) =>
    JSON.stringify([
      attempt.dispute_status,
      attempt.dispute_debited_cents,
      refunds.map(({ id, status }) => [id, status]),
    ])
  return stateOf(one) === stateOf(other)
}

async function markRefundFailed(tx: Tx, ledgerPayment: LedgerPayment, refund: RefundRow): Promise<void> {
  await setRefundFailed(tx, refund.id)
  await enterFailedRefund(tx, ledgerPayment, { id: refund.id, cents: refund.amount_cents })
  const { order, at } = ledgerPayment
  await auditPayment(tx, 'refund_failed', order, at, { refund_cents: refund.amount_cents })
}

/** Stores and books a refund that was made at the gateway, like a completed refund of ours. */
async function recordGatewayRefund(
  context: BillingContext,
  tx: Tx,
  ledgerPayment: LedgerPayment,
  cents: number,
): Promise<void> {
  if (cents <= 0) return
  const { attempt, at } = ledgerPayment
  const id = newId('ref')
  const refund = { id, amount_cents: cents, reason: 'refunded_at_gateway' }
  await insertRefund(tx, {
    ...refund,
    attempt_id: attempt.id,
    ...refundKey('gateway', id),
    status: 'succeeded',
    next_poll_at: null,
    created_at: at,
  })
  await bookRefund(context, tx, ledgerPayment, refund)
}

async function applyDispute(tx: Tx, ledgerPayment: LedgerPayment, payment: Payment): Promise<void> {
  const { attempt, order, at } = ledgerPayment
  const current = { dispute_status: payment.dispute ?? null, dispute_debited_cents: disputedCents(payment) }
  const cents = current.dispute_debited_cents - attempt.dispute_debited_cents
  const lost = lostCents(current) - lostCents(attempt)
  // The payment may be disputed again after a won dispute. That is a new dispute with its own date.
  const isNewDispute = attempt.dispute_debited_cents === 0 && cents > 0
  const openedAt = isNewDispute ? at : (attempt.dispute_opened_at ?? at)
  if (cents !== 0)
    await enterDispute(tx, isNewDispute ? ledgerPayment : { ...ledgerPayment, openedAt }, cents)
  if (lost !== 0)
    await enterDisputeLoss(tx, isNewDispute ? ledgerPayment : { ...ledgerPayment, openedAt }, lost)
  if (current.dispute_status !== attempt.dispute_status || cents !== 0) {
    await setDispute(tx, attempt.id, {
      ...current,
      ...(payment.disputeUnread ? {} : describeDispute(payment)),
      ...(cents === 0 ? {} : { dispute_opened_at: openedAt }),
    })
    const opened = current.dispute_status === 'open'
    await auditPayment(tx, opened ? 'dispute_opened' : 'dispute_closed', order, at, {
      dispute_debited_cents: current.dispute_debited_cents,
      outcome: current.dispute_status ?? 'withdrawn',
    })
  }
}

/** Returns the cents that a lost dispute took, or zero if the dispute is not lost. */
const lostCents = ({
  dispute_status,
  dispute_debited_cents,
}: Pick<AttemptRow, 'dispute_status' | 'dispute_debited_cents'>): number =>
  dispute_status === 'lost' ? dispute_debited_cents : 0

/**
 * Returns the columns with the details of a dispute, for operators. Returns empty columns if the dispute was withdrawn.
 */
function describeDispute({ dispute, disputedCents: cents, amountCents, disputeDetails = {} }: Payment) {
  if (!dispute) return {}
  const { reference = null, reason = null, dueAt = null } = disputeDetails
  return {
    dispute_amount_cents: cents ?? amountCents,
    dispute_reason: reason,
    dispute_respond_by: dueAt,
    dispute_reference: reference,
  }
}
