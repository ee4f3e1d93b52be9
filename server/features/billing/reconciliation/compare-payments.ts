import { selectAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import {
  missingPayment,
  isIndirectReference,
  unreadablePayment,
  type Payment,
  type PaymentGateway,
} from '#server/features/billing/gateways/gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import { insertUnmatchedPayment } from './discrepancy-queries.ts'
import {
  deleteDiscrepancy,
  upsertDiscrepancy,
  selectAttemptsToCompare,
  selectDiscrepantReferences,
  setRefundPending,
  type ComparedAttempt,
} from './reconciliation-queries.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import { restoreOrder } from './restore-order.ts'
import { settleAttempt } from '#server/features/billing/payments/settle-attempt.ts'
import {
  disputedCents,
  retrievePaymentOrDispute,
  retrieveByDispute,
  reportsRefundsAndDisputes,
  syncRefundsAndDisputes,
  withRecordedDispute,
} from '#server/features/billing/refunds/sync-refunds-and-disputes.ts'

const batchSize = 200

export const comparisonFailedMessage = 'a payment could not be compared with its gateway'

/** The result of a comparison. */
interface Comparison {
  /** Whether all differences are settled. */
  isSettled: boolean
  /** The references of the discrepancies that it stored. */
  discrepancies: readonly string[]
}

const settled: Comparison = { isSettled: true, discrepancies: [] }

/**
 * Settles the differences between payments and our ledger. A payment that cannot be settled is stored as a discrepancy.
 * Operators see it, and `retryDiscrepancies` retries it.
 */
export async function comparePayments(
  context: BillingContext,
  gateway: PaymentGateway,
  payments: readonly Payment[],
): Promise<Comparison> {
  const comparisons: Comparison[] = []
  for (let start = 0; start < payments.length; start += batchSize)
    comparisons.push(...(await compareBatch(context, gateway, payments.slice(start, start + batchSize))))
  return {
    isSettled: comparisons.every(({ isSettled }) => isSettled),
    discrepancies: comparisons.flatMap(({ discrepancies }) => discrepancies),
  }
}

async function compareBatch(
  context: BillingContext,
  gateway: PaymentGateway,
  payments: readonly Payment[],
): Promise<Comparison[]> {
  const attempts = await loadComparedAttempts(context, gateway, payments)
  const references = payments.map(({ reference }) => reference)
  const discrepant = await selectDiscrepantReferences(context.db, gateway.id, references)
  const comparisons: Comparison[] = []
  for (const payment of payments) {
    const { reference } = payment
    const attempt = attempts.find((one) => one.reference === reference || one.id === payment.attemptId)
    const compared = { attempt, isDiscrepant: discrepant.has(reference) }
    comparisons.push(await compareSafely(context, gateway, payment, compared))
  }
  return comparisons
}

/** The records of a payment in our database. */
interface Recorded {
  attempt: ComparedAttempt | undefined
  /** True if a discrepancy of the payment may be stored. It is deleted after the differences are settled. */
  isDiscrepant: boolean
}

function loadComparedAttempts(
  { db }: BillingContext,
  { id }: PaymentGateway,
  payments: readonly Payment[],
): Promise<ComparedAttempt[]> {
  return selectAttemptsToCompare(
    db,
    id,
    // PostgreSQL does not accept NUL in a text. Our ids never contain NUL.
    payments.map(({ attemptId }) => attemptId).filter((one) => !one.includes('\0')),
    payments.map(({ reference }) => reference),
  )
}

/**
 * Compares one payment. If the comparison throws, stores the payment as an unreadable discrepancy. The other payments
 * are still compared.
 */
async function compareSafely(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  recorded: Recorded,
): Promise<Comparison> {
  try {
    return await comparePayment(context, gateway, payment, recorded)
  } catch (error) {
    const logFields = { gateway: gateway.id, reference: payment.reference }
    context.log.error({ ...logFields, err: error }, comparisonFailedMessage)
    await recordDiscrepancy(context, gateway, unreadablePayment(payment.reference), recorded.attempt).catch(
      (again: unknown) =>
        context.log.error({ ...logFields, err: again }, 'a payment could not be recorded as a discrepancy'),
    )
    return { isSettled: false, discrepancies: [payment.reference] }
  }
}

async function comparePayment(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  { attempt, isDiscrepant }: Recorded,
): Promise<Comparison> {
  if (payment.missing) return compareMissingPayment(context, gateway, payment, attempt)
  const { reference } = payment
  if (!(await settleDifferences(context, gateway, payment, attempt))) {
    await recordDiscrepancy(context, gateway, payment, attempt)
    return { isSettled: false, discrepancies: [reference] }
  }
  if (isDiscrepant) await deleteDiscrepancy(context.db, gateway.id, reference)
  return settled
}

function recordDiscrepancy(
  { db, clock }: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  attempt: ComparedAttempt | undefined,
): Promise<void> {
  // Without a currency, the amount is unknown. Without the dispute, the remaining amount is unknown.
  const isRead = Boolean(payment.currency) && !payment.disputeUnread
  return upsertDiscrepancy(db, {
    gateway: gateway.id,
    reference: payment.reference,
    attempt_id: attempt?.id ?? null,
    gateway_cents: isRead ? netCents(payment) : null,
    currency: isRead ? payment.currency : null,
    detected_at: clock.now(),
  })
}

/**
 * Compares the payment of one attempt with its gateway.
 * @returns whether all differences are settled; false if the gateway did not answer, or if it has deleted a payment
 * that is in the ledger
 */
export async function compareAttempt(context: BillingContext, attemptId: string): Promise<boolean> {
  const attempt = await selectAttempt(context.db, attemptId)
  const gateway = findGateway(context, attempt?.gateway)
  const reference = attempt?.reference ?? null
  // Without the gateway's id there is no payment to compare. The caller has already looked up an open attempt by our
  // own key, so an attempt that is still open is not settled.
  if (reference === null) return attempt === undefined || !isOpen(attempt.status)
  if (!gateway) return false
  const disputeReference = attempt?.dispute_reference ?? null
  const payment = await retrievePaymentOrDispute(context, gateway, { reference, disputeReference })
  if (payment === 'unknown') return false
  const [comparedAttempt] = await selectAttemptsToCompare(context.db, gateway.id, [attemptId], [reference])
  const { isSettled } = await comparePayment(context, gateway, payment ?? missingPayment(reference), {
    attempt: comparedAttempt,
    isDiscrepant: true,
  })
  return isSettled && !((payment === null || payment.missing) && comparedAttempt?.booked)
}

/**
 * Compares a payment that the gateway has deleted. It is a discrepancy if our ledger or a dispute shows that it was
 * received. Its dispute is still synced, because the gateway stores the dispute's status separately.
 * @returns as settled unless the gateway did not answer
 */
async function compareMissingPayment(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  attempt: ComparedAttempt | undefined,
): Promise<Comparison> {
  const reference = attempt?.reference ?? payment.reference
  if (payment.reference !== reference) await deleteDiscrepancy(context.db, gateway.id, payment.reference)
  const wasReceived = attempt !== undefined && (attempt.booked || payment.dispute !== undefined)
  if (!wasReceived) {
    await deleteDiscrepancy(context.db, gateway.id, reference)
    return settled
  }
  const logFields = { gateway: gateway.id, reference, dispute: payment.dispute }
  context.log.error(logFields, 'a gateway no longer has a payment that is in the ledger')
  await recordDiscrepancy(context, gateway, unreadablePayment(reference), attempt)
  const isSettled =
    !reportsRefundsAndDisputes(payment) || (await syncRefundsAndDisputes(context, attempt.id, payment))
  return { isSettled, discrepancies: [reference] }
}

/** Compares a payment whose reference the gateway does not know. The gateway may still have the payment's dispute. */
export async function compareUnknownReference(
  context: BillingContext,
  gateway: PaymentGateway,
  reference: string,
): Promise<void> {
  const [attempt] = await selectAttemptsToCompare(context.db, gateway.id, [], [reference])
  // The gateway itself listed this indirect reference, so the discrepancy remains for an operator.
  if (!attempt && isIndirectReference(reference)) return
  const payment = await retrieveByDispute(context, gateway, attempt?.dispute_reference ?? null)
  if (payment === 'unknown') return
  await compareSafely(context, gateway, payment ?? missingPayment(reference), { attempt, isDiscrepant: true })
}

/** Settles the differences between one payment and our records. @returns whether all of them are settled */
async function settleDifferences(
  context: BillingContext,
  gateway: PaymentGateway,
  reportedPayment: Payment,
  attempt: ComparedAttempt | undefined,
): Promise<boolean> {
  if (!attempt) return restoreOrRecordForeign(context, gateway, reportedPayment)
  const payment = withRecordedDispute(reportedPayment, attempt)
  const logFields = { gateway: gateway.id, reference: payment.reference }
  try {
    if (needsSettling(attempt, payment)) await settleAttempt(context, attempt, payment)
    const isSettled =
      !haveRefundsOrDisputesChanged(attempt, payment) ||
      (await syncRefundsAndDisputes(context, attempt.id, payment))
    const refundPending = payment.refundPending ?? false
    if (payment.status !== 'unreadable' && attempt.refund_pending !== refundPending)
      await setRefundPending(context.db, attempt.id, refundPending)
    if (payment.disputeUnread && attempt.dispute_status !== null) {
      context.log.error(
        logFields,
        'a gateway did not return the status of a dispute; the last known status remains',
      )
      return false
    }
    if (agreesWithLedger(attempt, payment)) return isSettled
    context.log.error(
      { ...logFields, status: payment.status },
      'a gateway no longer reports a payment as received',
    )
    return false
  } catch (error) {
    context.log.error({ ...logFields, err: error }, 'a payment could not be synced with its gateway')
    return false
  }
}

/** Restores the order of a payment that our database does not have, or stores the payment as foreign. */
async function restoreOrRecordForeign(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
): Promise<boolean> {
  if (payment.status === 'unreadable' || !payment.currency) return false
  const amount_cents = netCents(payment)
  if (amount_cents <= 0) return true
  const logFields = { gateway: gateway.id, reference: payment.reference }
  try {
    const attempt = await restoreOrder(context, gateway, payment)
    if (attempt) {
      context.log.warn(
        { ...logFields, order: attempt.order_id },
        'a lost order was restored from its payment',
      )
      return await settleDifferences(context, gateway, payment, {
        ...attempt,
        refunded_cents: 0,
        booked: false,
      })
    }
  } catch (error) {
    context.log.error({ ...logFields, err: error }, 'a lost order could not be restored from its payment')
    return false
  }
  context.log.error(logFields, 'a gateway has a payment that does not belong to this site')
  const { currency } = payment
  await insertUnmatchedPayment(context.db, {
    ...logFields,
    amount_cents,
    currency,
    detected_at: context.clock.now(),
  })
  return true
}

/** Returns the amount that the gateway holds for us: the payment without refunds and disputed amounts. */
function netCents(payment: Payment): number {
  if (payment.status !== 'succeeded') return 0
  return payment.amountCents - payment.refundedCents - disputedCents(payment)
}

/**
 * Returns whether the attempt must be settled. A payment that succeeded for a closed attempt is settled by a refund.
 * After a full refund, nothing more is needed.
 */
function needsSettling(attempt: AttemptRow, payment: Payment): boolean {
  if (isOpen(attempt.status)) return attempt.status !== payment.status
  const isFullyRefunded = payment.refundedCents === payment.amountCents
  return payment.status === 'succeeded' && attempt.status !== 'succeeded' && !isFullyRefunded
}

/**
 * Returns whether the gateway's report agrees with our ledger. A booked payment must have succeeded, unless a dispute
 * took it.
 */
function agreesWithLedger({ booked }: ComparedAttempt, payment: Payment): boolean {
  if (payment.status === 'unreadable') return false
  return !booked || payment.status === 'succeeded' || isDisputeOpenOrLost(payment)
}

/** Returns whether the gateway reports refunds or a dispute that differ from our records. */
function haveRefundsOrDisputesChanged(
  { refunded_cents, dispute_status }: ComparedAttempt,
  payment: Payment,
): boolean {
  if (!reportsRefundsAndDisputes(payment)) return false
  return refunded_cents !== payment.refundedCents || dispute_status !== (payment.dispute ?? null)
}
