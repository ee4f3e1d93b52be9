import { dayMs, hourMs } from '#server/platform/clock.ts'
import { selectAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { isOpen } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { askForDisputed, askForPayments, askGateway } from '#server/features/billing/gateways/call-gateway.ts'
import {
  gonePayment,
  isNamedOtherwise,
  isUnlistedTime,
  unlistedName,
  unreadablePayment,
  unreadDisputes,
  type Payment,
  type PaymentGateway,
} from '#server/features/billing/gateways/gateway.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'
import { insertForeignPayment } from './discrepancy-queries.ts'
import {
  deleteToCompare,
  giveUpToCompare,
  putToCompare,
  selectAttemptsToCompare,
  selectReconciledTo,
  selectSucceeded,
  selectToCompare,
  selectUndecided,
  setReconciledTo,
  setRefundPending,
  type ComparedRow,
} from './reconciliation-queries.ts'
import { returnAgain } from '#server/features/billing/refunds/return-again.ts'
import { isDisputeOpenOrLost } from '#server/features/billing/states/order-states.ts'
import { restoreOrder } from './restore-order.ts'
import { settleAttempt } from '#server/features/billing/payments/settle-attempt.ts'
import {
  disputedCents,
  readAgain,
  readByDispute,
  knowsRefundsAndDisputes,
  syncRefundsAndDisputes,
  withKnownDispute,
} from '#server/features/billing/refunds/sync-refunds-and-disputes.ts'

/** A payment may be listed late, and may succeed long after its start. */
const overlapMs = 48 * hourMs
const firstLookMs = 7 * dayMs
const batch = 200

/** Time for which operators see that a gateway did not list a span of time. */
const unlistedShownMs = 30 * dayMs

const failedOne = 'a payment could not be compared with its gateway'

/** Time for which a payment that cannot be settled is retried; each failure is logged as an error. */
const keptMs = 7 * dayMs

/**
 * Compares the payments of each gateway with our ledger, and settles the differences with the same function as every other
 * update. If a gateway does not answer, the next run starts at the same time; a payment that cannot be settled is retried on
 * its own and does not block the others.
 */
export async function reconcile(context: BillingContext): Promise<void> {
  for (const gateway of context.gateways) {
    const look = async () => compareAgain(context, gateway, await compareListed(context, gateway))
    await look().catch((error: unknown) =>
      context.log.error(
        { gateway: gateway.id, err: error },
        'a gateway could not be compared with the ledger',
      ),
    )
  }
  await returnAgain(context)
}

/** @returns the payments that were listed */
async function compareListed(context: BillingContext, gateway: PaymentGateway): Promise<ReadonlySet<string>> {
  const { db, clock } = context
  const now = clock.now()
  const before = await selectReconciledTo(db, gateway.id)
  const asked = new Date(before ? before.getTime() - overlapMs : now.getTime() - firstLookMs)
  const since = new Date(Math.max(asked.getTime(), now.getTime() - (gateway.listsForMs ?? Infinity)))
  const settled = (references: readonly string[]) => selectSucceeded(db, gateway.id, references)
  const payments = await askForPayments(context, gateway, since, settled)
  if (!payments) return new Set()
  if (since > asked) payments.push(...(await compareUnlisted(context, gateway, asked, since)))
  // A dispute takes months and a refund days; the payment is no longer listed when they end.
  for (const id of await selectUndecided(db, gateway.id))
    await compareAttempt(context, id).catch((error: unknown) =>
      context.log.error({ gateway: gateway.id, attempt: id, err: error }, failedOne),
    )
  await compare(context, gateway, payments)
  await setReconciledTo(db, gateway.id, { from: now, finished: clock.now() })
  return new Set(payments.map(({ reference }) => reference))
}

/**
 * Reports a time that the gateway no longer lists, as happens after weeks without its keys.
 * @returns the payments of that time with disputes, which it may list for longer, and a discrepancy for the time itself
 */
async function compareUnlisted(
  context: BillingContext,
  gateway: PaymentGateway,
  from: Date,
  to: Date,
): Promise<Payment[]> {
  context.log.error(
    { gateway: gateway.id, from, to },
    'a gateway no longer lists what happened so long ago; please compare it there',
  )
  const disputed = (await askForDisputed(context, gateway, from)) ?? []
  return [...disputed, unreadablePayment(unlistedName(from, to))]
}

/**
 * Settles the differences between payments and our ledger. One that cannot be settled is a discrepancy, which operators see
 * and which `compareAgain` retries.
 * @returns whether all of it was settled
 */
export async function compare(
  context: BillingContext,
  gateway: PaymentGateway,
  payments: readonly Payment[],
): Promise<boolean> {
  let isSettled = true
  for (let start = 0; start < payments.length; start += batch)
    isSettled = (await compareBatch(context, gateway, payments.slice(start, start + batch))) && isSettled
  return isSettled
}

async function compareBatch(
  context: BillingContext,
  gateway: PaymentGateway,
  payments: readonly Payment[],
): Promise<boolean> {
  const attempts = await selectCompared(context, gateway, payments)
  let isSettled = true
  for (const payment of payments) {
    const { reference } = payment
    const attempt = attempts.find((one) => one.reference === reference || one.id === payment.attemptId)
    isSettled = (await compareGuarded(context, gateway, payment, attempt)) && isSettled
  }
  return isSettled
}

function selectCompared(
  { db }: BillingContext,
  { id }: PaymentGateway,
  payments: readonly Payment[],
): Promise<ComparedRow[]> {
  return selectAttemptsToCompare(
    db,
    id,
    // PostgreSQL does not accept this character in a text, and our ids never contain it.
    payments.map(({ attemptId }) => attemptId).filter((one) => !one.includes('\0')),
    payments.map(({ reference }) => reference),
  )
}

/** Compares one payment. An error does not stop the others: the payment is recorded as unreadable. */
async function compareGuarded(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  attempt: ComparedRow | undefined,
): Promise<boolean> {
  try {
    return await compareOne(context, gateway, payment, attempt)
  } catch (error) {
    const about = { gateway: gateway.id, reference: payment.reference }
    context.log.error({ ...about, err: error }, failedOne)
    await noteDiscrepancy(context, gateway, unreadablePayment(payment.reference), attempt).catch(
      (again: unknown) =>
        context.log.error({ ...about, err: again }, 'a payment could not be noted as a discrepancy'),
    )
    return false
  }
}

async function compareOne(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  attempt: ComparedRow | undefined,
): Promise<boolean> {
  if (payment.gone) return compareGone(context, gateway, payment, attempt)
  const { reference } = payment
  const isSettled = await bringIntoLine(context, gateway, payment, attempt)
  if (isSettled) await deleteToCompare(context.db, gateway.id, reference)
  else await noteDiscrepancy(context, gateway, payment, attempt)
  return isSettled
}

function noteDiscrepancy(
  { db, clock }: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  attempt: ComparedRow | undefined,
): Promise<void> {
  // Without a currency the amount is unknown too; without the dispute, the remaining amount is unknown.
  const isRead = Boolean(payment.currency) && !payment.disputeUnread
  return putToCompare(db, {
    gateway: gateway.id,
    reference: payment.reference,
    attempt_id: attempt?.id ?? null,
    gateway_cents: isRead ? heldCents(payment) : null,
    currency: isRead ? payment.currency : null,
    found_at: clock.now(),
  })
}

/** Retries the discrepancies, and abandons them in the end, for an operator to resolve. */
async function compareAgain(
  context: BillingContext,
  gateway: PaymentGateway,
  listed: ReadonlySet<string>,
): Promise<void> {
  const { db, clock, log } = context
  const now = clock.now().getTime()
  for (const { reference, found_at } of await selectToCompare(db, gateway.id)) {
    if (listed.has(reference)) continue
    if (reference === unreadDisputes) {
      await compareDisputed(context, gateway, found_at)
      continue
    }
    if (isUnlistedTime(reference)) {
      if (found_at.getTime() < now - unlistedShownMs) await deleteToCompare(db, gateway.id, reference)
      continue
    }
    if (found_at.getTime() < now - keptMs) {
      log.error({ gateway: gateway.id, reference }, 'a payment is given up; please look it up at the gateway')
      await giveUpToCompare(db, gateway.id, reference)
      continue
    }
    await compareNamed(context, gateway, reference).catch((error: unknown) =>
      log.error({ gateway: gateway.id, reference, err: error }, failedOne),
    )
  }
}

/** Looks up a discrepancy by the name under which it was listed: the id of a payment, or the name of a dispute or capture. */
async function compareNamed(
  context: BillingContext,
  gateway: PaymentGateway,
  reference: string,
): Promise<void> {
  const payment = await askGateway(context, gateway, (asked) => asked.retrievePayment({ reference }))
  if (payment === 'unknown') return
  if (!payment) return compareMissing(context, gateway, reference)
  await compare(context, gateway, [payment])
  // The discrepancy, if there still is one, is now recorded under the payment's own id.
  if (payment.reference !== reference) await deleteToCompare(context.db, gateway.id, reference)
}

/** Reads the disputes of the time in which the gateway did not return them. */
async function compareDisputed(context: BillingContext, gateway: PaymentGateway, foundAt: Date) {
  const since = new Date(foundAt.getTime() - overlapMs)
  const payments = await askForDisputed(context, gateway, since)
  if (!payments) return
  await compare(context, gateway, payments)
  await deleteToCompare(context.db, gateway.id, unreadDisputes)
}

/** Compares the payment of one attempt. @returns whether all differences are settled; false if there was no answer */
export async function compareAttempt(context: BillingContext, attemptId: string): Promise<boolean> {
  const attempt = await selectAttempt(context.db, attemptId)
  const gateway = findGateway(context, attempt?.gateway)
  const reference = attempt?.reference ?? null
  // Without an id of the gateway there is no payment, or it is open and was just looked up by our own key.
  if (reference === null) return attempt === undefined || !isOpen(attempt.status)
  if (!gateway) return false
  const disputeReference = attempt?.dispute_reference ?? null
  const payment = await readAgain(context, gateway, { reference, disputeReference })
  if (payment === 'unknown') return false
  const [compared] = await selectAttemptsToCompare(context.db, gateway.id, [attemptId], [reference])
  const isSettled = await compareOne(context, gateway, payment ?? gonePayment(reference), compared)
  return isSettled && !((payment === null || payment.gone) && compared?.booked)
}

/**
 * Compares a payment that the gateway no longer has. It is a discrepancy if our ledger or a dispute shows that it was received.
 * The state of its dispute comes from the dispute itself.
 * @returns false if the gateway gave no answer
 */
async function compareGone(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
  attempt: ComparedRow | undefined,
): Promise<boolean> {
  const reference = attempt?.reference ?? payment.reference
  if (payment.reference !== reference) await deleteToCompare(context.db, gateway.id, payment.reference)
  const isOurs = attempt !== undefined && (attempt.booked || payment.dispute !== undefined)
  if (!isOurs) {
    await deleteToCompare(context.db, gateway.id, reference)
    return true
  }
  const about = { gateway: gateway.id, reference, dispute: payment.dispute }
  context.log.error(about, 'a gateway no longer has a payment that is in our books')
  await noteDiscrepancy(context, gateway, unreadablePayment(reference), attempt)
  return !knowsRefundsAndDisputes(payment) || syncRefundsAndDisputes(context, attempt.id, payment)
}

/** Compares a payment after its gateway reported nothing of that name; its dispute may still exist. */
export async function compareMissing(
  context: BillingContext,
  gateway: PaymentGateway,
  reference: string,
): Promise<void> {
  const [attempt] = await selectAttemptsToCompare(context.db, gateway.id, [], [reference])
  // The gateway itself gave this name, so the discrepancy stays for an operator.
  if (!attempt && isNamedOtherwise(reference)) return
  const payment = await readByDispute(context, gateway, attempt?.dispute_reference ?? null)
  if (payment === 'unknown') return
  await compareGuarded(context, gateway, payment ?? gonePayment(reference), attempt)
}

/** @returns whether all that differed was settled */
async function bringIntoLine(
  context: BillingContext,
  gateway: PaymentGateway,
  read: Payment,
  attempt: ComparedRow | undefined,
): Promise<boolean> {
  if (!attempt) return bringBack(context, gateway, read)
  const payment = withKnownDispute(read, attempt)
  const about = { gateway: gateway.id, reference: payment.reference }
  try {
    if (differs(attempt, payment)) await settleAttempt(context, attempt, payment)
    const isSettled =
      !hasGone(attempt, payment) || (await syncRefundsAndDisputes(context, attempt.id, payment))
    if (payment.status !== 'unreadable')
      await setRefundPending(context.db, attempt.id, payment.refundPending ?? false)
    if (payment.disputeUnread && attempt.dispute !== null) {
      context.log.error(about, 'a gateway does not say how a dispute stands; what is known of it stays')
      return false
    }
    if (isExplained(attempt, payment)) return isSettled
    context.log.error(
      { ...about, status: payment.status },
      'a gateway no longer reports a payment as received',
    )
    return false
  } catch (error) {
    context.log.error({ ...about, err: error }, 'a payment could not be brought into line with its gateway')
    return false
  }
}

/** Restores the order of a payment that our ledger does not have, or records the payment as foreign. */
async function bringBack(
  context: BillingContext,
  gateway: PaymentGateway,
  payment: Payment,
): Promise<boolean> {
  if (payment.status === 'unreadable' || !payment.currency) return false
  const amount_cents = heldCents(payment)
  if (amount_cents <= 0) return true
  const about = { gateway: gateway.id, reference: payment.reference }
  try {
    const attempt = await restoreOrder(context, gateway, payment)
    if (attempt) {
      context.log.warn({ ...about, order: attempt.order_id }, 'a lost order was restored from its payment')
      return await bringIntoLine(context, gateway, payment, { ...attempt, refunded_cents: 0, booked: false })
    }
  } catch (error) {
    context.log.error({ ...about, err: error }, 'a lost order could not be restored from its payment')
    return false
  }
  context.log.error(about, 'a gateway has a payment that is none of ours')
  const { currency } = payment
  await insertForeignPayment(context.db, { ...about, amount_cents, currency, found_at: context.clock.now() })
  return true
}

/** The amount that a gateway holds for us: the payment without refunds and disputed amounts. */
function heldCents(payment: Payment): number {
  if (payment.status !== 'succeeded') return 0
  return payment.amountCents - payment.refundedCents - disputedCents(payment)
}

/** Returns whether the attempt has to be settled. A payment for a closed attempt is refunded, and needs nothing after that. */
function differs(attempt: AttemptRow, payment: Payment): boolean {
  if (isOpen(attempt.status)) return attempt.status !== payment.status
  const returned = payment.refundedCents === payment.amountCents
  return payment.status === 'succeeded' && attempt.status !== 'succeeded' && !returned
}

/** Returns whether the gateway's report agrees with our ledger: a booked payment is still there, or a dispute took it. */
function isExplained({ booked }: ComparedRow, payment: Payment): boolean {
  if (payment.status === 'unreadable') return false
  return !booked || payment.status === 'succeeded' || isDisputeOpenOrLost(payment)
}

/** Returns whether refunds or disputes may have changed since. */
function hasGone({ refunded_cents, dispute }: ComparedRow, payment: Payment): boolean {
  if (!knowsRefundsAndDisputes(payment)) return false
  return refunded_cents !== payment.refundedCents || dispute !== (payment.dispute ?? null)
}
