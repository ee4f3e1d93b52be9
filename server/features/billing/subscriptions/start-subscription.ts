import type { Selectable, Updateable } from 'kysely'
import { grantEntitlement } from '#server/features/library/library.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import { isRenewalAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { endSubscription } from './end-subscription.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { savePaymentMethod } from '#server/features/billing/payment-methods/save-payment-method.ts'
import { activeUntil } from '#server/features/billing/records/renewals/active-subscription.ts'
import { selectPlanIncludingArchived } from '#server/features/billing/records/product-queries.ts'
import { setSubscriptionOfOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import { selectSubscriptionForRenewal } from '#server/features/billing/records/renewals/renewal-queries.ts'
import { reminderTime } from '#server/features/billing/records/renewals/dunning-schedule.ts'
import {
  insertSubscription,
  reopenSubscription,
  transitionSubscription,
  selectExpiredSubscription,
  selectSubscription,
} from '#server/features/billing/records/renewals/subscription-queries.ts'
import { subscriptionRestorations } from '#server/features/billing/states/subscription-states.ts'
import type { SubscriptionsTable } from '#server/features/billing/tables.ts'

/**
 * Starts the subscription of a paid order. Its first period begins now and has the number 0, and renewals charge the
 * saved method. A renewal payment may restore a subscription that was lost, or that ended without this payment. The
 * period then has the number of that renewal. Grants an entitlement to all videos until the end of the period.
 */
export async function startSubscription(
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  payment: Payment,
  now: Date,
): Promise<void> {
  const subscription =
    order.subscription_id === null ? undefined : await selectSubscription(tx, order.subscription_id)
  if (!subscription) throw new Error(`order ${order.id} has no subscription`)
  await endExpiredSubscription(tx, order.user_id, now)
  const planId = order.plan_id ?? subscription.plan_id
  const { period_days: days } = await selectPlanIncludingArchived(tx, planId)
  const endsAt = new Date(now.getTime() + days * dayMs)
  const reopens = isReopenedBy(order, subscription)
  const isNew = !reopens && subscription.status !== 'incomplete'
  const period = {
    started_at: now,
    period_no: isNew ? 0 : (order.period_no ?? 0),
    period_starts_at: now,
    period_ends_at: endsAt,
    next_run_at: endsAt,
    next_charge_at: endsAt,
    remind_at: reminderTime(
      { startsAt: now, endsAt },
      { introductory: order.introductory, periodDays: days },
    ),
    // A renewal attempt is settled here only if its subscription has ended or was lost. Renewals do not charge its
    // method any more, so the method is not saved again.
    payment_method_id: isRenewalAttempt(attempt)
      ? null
      : await savePaymentMethod(tx, order.user_id, attempt.gateway, payment, now),
  }
  // If the subscription ended before this late payment, the payment buys one period. The subscription does not renew
  // afterwards, because a mail may have announced the end.
  const cancelled = subscription.status === 'ended'
  if (reopens)
    await reopen(tx, subscription, order, { ...period, plan_id: planId, cancel_at_period_end: cancelled })
  else if (!isNew) await transitionSubscription(tx, subscription.id, 'active', period)
  else {
    const id = newId('sub')
    const newSubscription = {
      id,
      user_id: order.user_id,
      plan_id: planId,
      agreed_price_cents: subscription.agreed_price_cents,
      status: 'active',
      created_at: now,
    } as const
    await insertSubscription(tx, { ...newSubscription, ...period, cancel_at_period_end: cancelled })
    await setSubscriptionOfOrder(tx, order.id, id)
  }
  const startedSubscription = {
    ...period,
    status: 'active',
    period_days: days,
    grace_ends_at: null,
    cancel_at_period_end: cancelled,
    gateway: period.payment_method_id === null ? null : attempt.gateway,
    method_detached_at: null,
  } as const
  await grantEntitlement(tx, {
    userId: order.user_id,
    orderId: order.id,
    source: 'subscription',
    startsAt: now,
    endsAt: activeUntil(startedSubscription) ?? endsAt,
  })
}

/**
 * Returns whether an order pays for a lost period of a subscription that ended or expired without this payment. The
 * subscription then continues, so that its other lost periods can be restored too.
 */
function isReopenedBy(
  { restored_at, period_no }: OrderRow,
  { status }: Pick<SubscriptionsTable, 'status'>,
): boolean {
  return restored_at !== null && period_no !== null && subscriptionRestorations.allows(status, 'active')
}

/** Reopens a subscription with the period of a lost payment. Resets the columns that its end or dunning had set. */
function reopen(
  tx: Tx,
  { id, started_at, agreed_price_cents }: Selectable<SubscriptionsTable>,
  order: OrderRow,
  period: Updateable<SubscriptionsTable>,
): Promise<void> {
  return reopenSubscription(tx, id, {
    ...period,
    ...(started_at === null ? {} : { started_at }),
    agreed_price_cents: order.introductory ? agreed_price_cents : order.amount_cents,
    announced_price_cents: null,
    announced_price_from: null,
    grace_ends_at: null,
    method_detached_at: null,
    method_chosen_at: null,
  })
}

/** Ends a user's subscription whose end has passed, because a user can have only one live subscription. */
export async function endExpiredSubscription(tx: Tx, userId: string, now: Date): Promise<void> {
  const id = await selectExpiredSubscription(tx, userId, now)
  const row = id === undefined ? undefined : await selectSubscriptionForRenewal(tx, id)
  if (row) await endSubscription(tx, row, now)
}
