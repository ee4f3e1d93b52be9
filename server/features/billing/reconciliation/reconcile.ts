import { dayMs, hourMs } from '#server/platform/clock.ts'
import { forEachConcurrently } from '#server/platform/for-each-concurrently.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import {
  listGatewayDisputes,
  listGatewayPayments,
  callGateway,
} from '#server/features/billing/gateways/call-gateway.ts'
import {
  isUnlistedReference,
  toUnlistedReference,
  unreadablePayment,
  unreadDisputesReference,
  type Payment,
  type PaymentGateway,
} from '#server/features/billing/gateways/gateway.ts'
import {
  compareAttempt,
  comparePayments,
  compareUnknownReference,
  comparisonFailedMessage,
} from './compare-payments.ts'
import {
  deleteDiscrepancy,
  abandonDiscrepancy,
  selectReconciledTo,
  selectSucceededReferences,
  selectOpenDiscrepancies,
  selectUnsettledAttemptIds,
  setReconciledUntil,
} from './reconciliation-queries.ts'
import { retryUnwantedPaymentRefunds } from '#server/features/billing/refunds/retry-unwanted-payment-refunds.ts'

/**
 * The list of payments begins this long before the previous run. A payment may be listed late or succeed long after its
 * start.
 */
const overlapMs = 48 * hourMs
const initialLookbackMs = 7 * dayMs

/** The time for which the studio shows that a gateway no longer lists the payments of a period. */
const unlistedShownMs = 30 * dayMs

/** The time for which a payment that cannot be settled is retried. Each failure is logged as an error. */
const retryPeriodMs = 7 * dayMs

/** The number of payments that are queried individually at the same time. */
const concurrency = 8

/**
 * Compares the payments of each gateway with our ledger, and settles the differences in the same way as a webhook
 * event. If a gateway does not answer, the next run lists its payments from the same start time. A payment that cannot
 * be settled is retried separately and does not block the others.
 */
export async function reconcile(context: BillingContext): Promise<void> {
  for (const gateway of context.gateways) {
    const reconcileGateway = async () =>
      retryDiscrepancies(context, gateway, await compareListedPayments(context, gateway))
    await reconcileGateway().catch((error: unknown) =>
      context.log.error(
        { gateway: gateway.id, err: error },
        'a gateway could not be compared with the ledger',
      ),
    )
  }
  await retryUnwantedPaymentRefunds(context)
}

/**
 * Compares the payments that a gateway lists for the time since the previous run, plus an overlap. Compares each page
 * before it requests the next one, because the payments of a large site may not fit into the memory.
 * @returns the references of those payments that have a discrepancy
 */
async function compareListedPayments(
  context: BillingContext,
  gateway: PaymentGateway,
): Promise<ReadonlySet<string>> {
  const { db, clock } = context
  const now = clock.now()
  const before = await selectReconciledTo(db, gateway.id)
  const requestedSince = new Date(before ? before.getTime() - overlapMs : now.getTime() - initialLookbackMs)
  const since = new Date(
    Math.max(requestedSince.getTime(), now.getTime() - (gateway.listHistoryMs ?? Infinity)),
  )
  const findBooked = (references: readonly string[]) => selectSucceededReferences(db, gateway.id, references)
  const unsettled = await selectUnsettledAttemptIds(db, gateway.id)
  const discrepant = new Set<string>()
  const compare = async (payments: readonly Payment[]) => {
    const { discrepancies } = await comparePayments(context, gateway, payments)
    for (const reference of discrepancies) discrepant.add(reference)
  }
  if (!(await listGatewayPayments(context, gateway, { since, findBooked }, compare))) return discrepant
  if (since > requestedSince)
    await compare(await reportUnlistedPeriod(context, gateway, requestedSince, since))
  // A dispute can last for months and a refund for days. When they end, the payment is too old for the list. Payments
  // with an open dispute or a pending refund are therefore queried individually.
  await forEachConcurrently(unsettled, concurrency, async (id) => {
    await compareAttempt(context, id).catch((error: unknown) =>
      context.log.error({ gateway: gateway.id, attempt: id, err: error }, comparisonFailedMessage),
    )
  })
  await setReconciledUntil(db, gateway.id, { from: now, finished: clock.now() })
  return discrepant
}

/**
 * Reports a period whose payments the gateway no longer lists. This happens if all runs failed for longer than the
 * list's maximum age, for example because API keys were missing. Gateways may list disputes for longer than payments.
 * @returns an unreadable payment that represents the period, and the payments whose dispute was opened since the start
 * of the period
 */
async function reportUnlistedPeriod(
  context: BillingContext,
  gateway: PaymentGateway,
  from: Date,
  to: Date,
): Promise<Payment[]> {
  context.log.error(
    { gateway: gateway.id, from, to },
    "a gateway no longer lists the payments of a period; compare them in the gateway's dashboard",
  )
  const disputed = (await listGatewayDisputes(context, gateway, from)) ?? []
  return [...disputed, unreadablePayment(toUnlistedReference(from, to))]
}

/**
 * Retries the open discrepancies, except those of the payments that were just listed and compared. Abandons
 * discrepancies that are older than `retryPeriodMs`, which an operator must then resolve.
 */
async function retryDiscrepancies(
  context: BillingContext,
  gateway: PaymentGateway,
  listed: ReadonlySet<string>,
): Promise<void> {
  const { db, clock, log } = context
  const now = clock.now().getTime()
  for (const { reference, detected_at } of await selectOpenDiscrepancies(db, gateway.id)) {
    if (listed.has(reference)) continue
    if (reference === unreadDisputesReference) {
      await retryUnreadDisputes(context, gateway, detected_at)
      continue
    }
    if (isUnlistedReference(reference)) {
      if (detected_at.getTime() < now - unlistedShownMs) await deleteDiscrepancy(db, gateway.id, reference)
      continue
    }
    if (detected_at.getTime() < now - retryPeriodMs) {
      log.error(
        { gateway: gateway.id, reference },
        'a payment was abandoned after the last retry; look it up at the gateway',
      )
      await abandonDiscrepancy(db, gateway.id, reference)
      continue
    }
    await compareByReference(context, gateway, reference).catch((error: unknown) =>
      log.error({ gateway: gateway.id, reference, err: error }, comparisonFailedMessage),
    )
  }
}

/**
 * Queries the payment of a discrepancy by the reference under which it was listed: the id of a payment, or an indirect
 * reference, for example to a dispute.
 */
async function compareByReference(
  context: BillingContext,
  gateway: PaymentGateway,
  reference: string,
): Promise<void> {
  const payment = await callGateway(context, gateway, (port) => port.retrievePayment({ reference }))
  if (payment === 'unknown') return
  if (!payment) return compareUnknownReference(context, gateway, reference)
  await comparePayments(context, gateway, [payment])
  // If the discrepancy still exists, it is now stored under the payment's own id.
  if (payment.reference !== reference) await deleteDiscrepancy(context.db, gateway.id, reference)
}

/** Requests the disputes that the gateway did not return at an earlier time, and compares their payments. */
async function retryUnreadDisputes(context: BillingContext, gateway: PaymentGateway, foundAt: Date) {
  const since = new Date(foundAt.getTime() - overlapMs)
  const payments = await listGatewayDisputes(context, gateway, since)
  if (!payments) return
  await comparePayments(context, gateway, payments)
  await deleteDiscrepancy(context.db, gateway.id, unreadDisputesReference)
}
