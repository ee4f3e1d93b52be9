import { grantEntitlement, moveEntitlementEnd } from '#server/features/library/library.ts'
import type { Tx } from '#server/tables.ts'
import { isRenewalAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { decidePastDue, isLive, hasNoRetryPlanned, type LiveRow } from './dunning-decision.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import {
  detachUnusedMethod,
  savePaymentMethod,
} from '#server/features/billing/payment-methods/save-payment-method.ts'
import { activeUntil } from '#server/features/billing/records/renewals/active-subscription.ts'
import { queueUnusedMethodsDetach } from '#server/features/billing/records/method-queries.ts'
import { selectPlanIncludingArchived } from '#server/features/billing/records/product-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import {
  selectOrderOfPeriod,
  selectSubscriptionForRenewal,
  updateSubscription,
  type RenewalRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { followingPeriod, reminderTime } from '#server/features/billing/records/renewals/dunning-schedule.ts'
import { transitionSubscription } from '#server/features/billing/records/renewals/subscription-queries.ts'
import { sendSubscriptionMail } from '#server/features/billing/mails/send-subscription-mail.ts'

type MailContext = Pick<BillingContext, 'publicUrl' | 'languages'>

/**
 * A live subscription, the order of its next (or a later restored) period, and an attempt to pay this order.
 */
interface RenewalCharge {
  row: LiveRow
  order: OrderRow
  attempt: AttemptRow
  now: Date
}

/** Returns the live subscription that an order renews, or undefined if the order is not for its next period. */
export async function findRenewal(tx: Tx, order: OrderRow): Promise<RenewalCharge['row'] | undefined> {
  if (order.subscription_id === null) return undefined
  const row = await selectSubscriptionForRenewal(tx, order.subscription_id)
  return isLive(row) && row.period_no + 1 === order.period_no ? row : undefined
}

/**
 * Renews a subscription for a paid period, and grants an entitlement for that period. A payment at the checkout also
 * undoes a cancellation, unless the payment was restored. It also replaces the method for renewals, unless the customer
 * has chosen another method since.
 */
export async function continueSubscription(
  tx: Tx,
  { row, order, attempt, now }: RenewalCharge,
  payment: Payment,
): Promise<void> {
  const plan = await selectPlanIncludingArchived(tx, order.plan_id ?? row.plan_id)
  const newDays = plan.period_days
  const lengths = { oldDays: row.period_days, newDays }
  const period = followingPeriod(row.period_ends_at, lengths, now)
  const { startsAt, endsAt } = period
  const isManual = !isRenewalAttempt(attempt)
  const replacesMethod = isManual && !hasChosenSince(row, attempt)
  if (isManual && !replacesMethod) await detachUnusedMethod(tx, order.user_id, attempt.gateway, payment, now)
  const methodId = replacesMethod
    ? await savePaymentMethod(tx, order.user_id, attempt.gateway, payment, now)
    : null
  const undoesCancellation = isManual && !isRestored(order, attempt)
  const cancelled = row.cancel_at_period_end && !undoesCancellation
  const samePlan = order.plan_id === row.plan_id
  const hasFuturePrice =
    samePlan && row.announced_price_from !== null && row.announced_price_from > row.period_ends_at
  const change = {
    ...(order.plan_id === null ? {} : { plan_id: order.plan_id }),
    ...(methodId === null
      ? {}
      : { payment_method_id: methodId, method_detached_at: null, method_chosen_at: attempt.started_at }),
    // A restored payment may skip periods whose payments are not restored yet.
    period_no: order.period_no ?? row.period_no + 1,
    period_starts_at: startsAt,
    period_ends_at: endsAt,
    cancel_at_period_end: cancelled,
    next_run_at: endsAt,
    next_charge_at: endsAt,
    grace_ends_at: null,
    remind_at: reminderTime(period, { introductory: false, periodDays: newDays }),
    agreed_price_cents: order.amount_cents,
    ...(hasFuturePrice ? {} : { announced_price_cents: null, announced_price_from: null }),
  }
  if (row.status === 'active') await updateSubscription(tx, row.id, change)
  else await transitionSubscription(tx, row.id, 'active', change)
  if (methodId !== null) await queueUnusedMethodsDetach(tx, order.user_id, now)
  const currentOrder = await selectOrderOfPeriod(tx, row.id, row.period_no)
  if (currentOrder) await moveEntitlementEnd(tx, currentOrder.id, row.period_ends_at)
  const renewedSubscription = {
    ...row,
    ...change,
    status: 'active',
    period_days: newDays,
    gateway: methodId === null ? row.gateway : attempt.gateway,
  } as const
  await grantEntitlement(tx, {
    userId: order.user_id,
    orderId: order.id,
    source: 'subscription',
    startsAt,
    endsAt: activeUntil(renewedSubscription) ?? endsAt,
  })
}

/**
 * Returns whether a payment was restored. Such a payment was made at an unknown time, and the customer may have
 * cancelled after it. A payment that began after the restoration of its order was made at the checkout.
 */
function isRestored({ restored_at }: OrderRow, { started_at }: AttemptRow): boolean {
  return restored_at !== null && started_at <= restored_at
}

/** Returns whether the user has chosen another method since this attempt began. */
function hasChosenSince({ method_chosen_at: chosenAt }: RenewalRow, { started_at }: AttemptRow): boolean {
  return chosenAt !== null && chosenAt > started_at
}

async function sendRenewalMail(
  context: MailContext,
  tx: Tx,
  template: Parameters<typeof sendSubscriptionMail>[2],
  { row, order, date }: { row: RenewalRow; order: OrderRow; date: Date },
): Promise<void> {
  await sendSubscriptionMail(tx, context, template, {
    to: order.email,
    language: row.language,
    timeZone: row.time_zone,
    plan: await selectPlanIncludingArchived(tx, order.plan_id ?? row.plan_id),
    cents: order.amount_cents,
    currency: order.currency,
    orderId: order.id,
    date,
  })
}

/**
 * Maximum number of immediate retries after requests that the gateway did not receive. Such a failure says nothing
 * about the card, so it does not make the subscription past due.
 */
const maxLostRequests = 3

/**
 * Records an automatic renewal attempt that failed, or that waits for the user or the gateway. Makes the subscription
 * past due, plans a retry if that may succeed, and notifies the user.
 */
export async function recordFailedRenewal(
  context: MailContext,
  tx: Tx,
  { order, attempt, now }: Omit<RenewalCharge, 'row'>,
  reason: string,
): Promise<void> {
  const row = isRenewalAttempt(attempt) ? await findRenewal(tx, order) : undefined
  if (!row) return
  if (reason === 'not_received' && attempt.number <= maxLostRequests && !hasNoRetryPlanned(row))
    return updateSubscription(tx, row.id, { next_charge_at: now, next_run_at: now })
  // The user has replaced the declined method, so the decline must not prevent an attempt with the new method.
  const effectiveReason = hasChosenSince(row, attempt) ? 'other' : reason
  await becomePastDue(context, tx, { row, order, triedAt: attempt.started_at, now }, effectiveReason)
}

/** Makes a subscription past due because its next period was not paid. Plans a retry if that may succeed. */
export async function becomePastDue(
  context: MailContext,
  tx: Tx,
  { row, order, triedAt, now }: Omit<RenewalCharge, 'attempt'> & { triedAt: Date },
  reason: string,
): Promise<void> {
  const { change, mail } = decidePastDue(row, { reason, triedAt, now })
  if (row.status === 'past_due') await updateSubscription(tx, row.id, change)
  else {
    await transitionSubscription(tx, row.id, 'past_due', change)
    const currentOrder = await selectOrderOfPeriod(tx, row.id, row.period_no)
    if (currentOrder) await moveEntitlementEnd(tx, currentOrder.id, change.grace_ends_at)
  }
  if (mail) await sendRenewalMail(context, tx, mail.template, { row, order, date: mail.date })
}
