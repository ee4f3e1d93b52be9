import type { AttemptRow } from './attempt-queries.ts'
import { isOpen } from './attempt-states.ts'
import type { BillingContext } from './billing-context.ts'
import { askForPayments } from './call-gateway.ts'
import type { Payment, PaymentGateway } from './gateway.ts'
import {
  selectAttemptsToCompare,
  selectDisputed,
  selectReconciledTo,
  setReconciledTo,
  type ComparedRow,
} from './reconciliation-queries.ts'
import { settleAttempt } from './settle-order.ts'
import { settleReturned } from './settle-returned.ts'

const hourMs = 60 * 60_000
/** A payment may be listed late, and come through long after it was begun. */
const overlapMs = 48 * hourMs
const firstLookMs = 7 * 24 * hourMs
const batch = 200

/**
 * Compares what each gateway took with what we know of it, and settles what differs by the same function as everything
 * else (billing.md, "Crash safety"). A gateway that does not answer is asked from the same time on at the next round.
 */
export async function reconcile(context: BillingContext): Promise<void> {
  for (const gateway of context.gateways) await reconcileWith(context, gateway)
}

async function reconcileWith(context: BillingContext, gateway: PaymentGateway): Promise<void> {
  const { db, clock } = context
  const now = clock.now()
  const before = await selectReconciledTo(db, gateway.id)
  const since = new Date(before ? before.getTime() - overlapMs : now.getTime() - firstLookMs)
  const payments = await askForPayments(context, gateway, since)
  if (!payments) return
  let failed = false
  // A dispute takes months, and its payment is listed no more when it ends.
  for (const id of await selectDisputed(db, gateway.id)) await settleReturned(context, id)
  for (let start = 0; start < payments.length; start += batch)
    failed = !(await compare(context, gateway, payments.slice(start, start + batch))) || failed
  if (!failed) await setReconciledTo(db, gateway.id, now)
}

/** @returns whether all that differed was settled */
async function compare(
  context: BillingContext,
  gateway: PaymentGateway,
  payments: readonly Payment[],
): Promise<boolean> {
  const attempts = await selectAttemptsToCompare(
    context.db,
    gateway.id,
    payments.map(({ attemptId }) => attemptId),
    payments.map(({ reference }) => reference),
  )
  let sound = true
  for (const payment of payments) {
    const attempt = attempts.find(
      ({ id, reference }) => reference === payment.reference || id === payment.attemptId,
    )
    sound = (await bringIntoLine(context, gateway, payment, attempt)) && sound
  }
  return sound
}

async function bringIntoLine(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  attempt: ComparedRow | undefined,
): Promise<boolean> {
  const about = { gateway: gateway.id, reference: payment.reference }
  if (!attempt) {
    if (payment.status === 'succeeded')
      context.log.error(about, 'a gateway has a payment that is none of ours')
    return true
  }
  try {
    if (differs(attempt, payment)) await settleAttempt(context, attempt, payment)
    return !hasGone(attempt, payment) || (await settleReturned(context, attempt.id, payment))
  } catch (error) {
    context.log.error({ ...about, err: error }, 'a payment could not be brought into line with its gateway')
    return false
  }
}

/** Money that came in for a closed attempt goes back; once it has, there is nothing left to do. */
function differs(attempt: AttemptRow, payment: Payment): boolean {
  if (isOpen(attempt.status)) return attempt.status !== payment.status
  const returned = payment.refundedCents === payment.amountCents
  return payment.status === 'succeeded' && attempt.status !== 'succeeded' && !returned
}

/** Whether something has gone back, or come back, that we may not know of. */
function hasGone({ refunded_cents, dispute }: ComparedRow, payment: Payment): boolean {
  if (payment.status !== 'succeeded') return false
  return refunded_cents !== payment.refundedCents || dispute !== (payment.dispute ?? null)
}
