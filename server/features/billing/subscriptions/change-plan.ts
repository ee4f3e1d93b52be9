import type { Insertable } from 'kysely'
import { Refusal } from '#contract/errors.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import type { Tx } from '#server/tables.ts'
import { dayMs } from '#server/platform/clock.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { setEntitlementEnd } from './cancel-subscription.ts'
import { gatewaysFor } from '#server/features/billing/gateways/gateways.ts'
import {
  insertOrder,
  transitionOrder,
  setPeriodOfOrder,
  updateOpenOrder,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { countResumption } from './limit-resumptions.ts'
import {
  selectOrderOfPeriod,
  selectPlannedOrder,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import {
  setCancelAtPeriodEnd,
  type LiveSubscription,
} from '#server/features/billing/records/renewals/subscription-queries.ts'
import type { OrdersTable } from '#server/features/billing/tables.ts'

/** The user's new order, as a row to insert. */
type NewOrder = Insertable<OrdersTable>

/**
 * The lifetime of an order that is created here. The lifetime of a planned order begins at the end of the current
 * period. The lifetime of an order that replaces an unpaid one begins at its creation. A planned order is usually
 * cancelled earlier, when its subscription ends.
 */
const orderLifetimeMs = 30 * dayMs

/**
 * Plans a change of plan for the next period, without proration. Creates the order for that period now, with its price
 * and consent; it is charged when the period begins. Choosing the current plan cancels a planned change. A change also
 * resumes a cancelled subscription. The subscription's payment method is charged, even if the request names another
 * one.
 * @returns the id of the planned order, or of the order that was cancelled
 * @throws Refusal alreadySubscribed if nothing would change, or if there is no method to charge; resumeLimitReached
 */
export async function changePlan(
  tx: Tx,
  live: LiveSubscription,
  newOrder: NewOrder & { plan_id: string; created_at: Date },
): Promise<string> {
  const now = newOrder.created_at
  const pendingChange = await selectPlannedOrder(tx, live.id)
  const isCurrentPlan = newOrder.plan_id === live.plan_id
  if (live.gateway === null || !live.period_ends_at || (isCurrentPlan && !pendingChange))
    throw new Refusal('alreadySubscribed')
  if (pendingChange) await transitionOrder(tx, pendingChange.id, 'cancelled', { expires_at: now })
  await writeAuditEvent(tx, {
    event: isCurrentPlan ? 'plan_change_cancelled' : 'plan_change_scheduled',
    userId: newOrder.user_id,
    at: now,
    details: { subscription_id: live.id, plan_id: newOrder.plan_id },
  })
  if (isCurrentPlan && pendingChange) return pendingChange.id
  const expires_at = new Date(live.period_ends_at.getTime() + orderLifetimeMs)
  await insertOrder(tx, {
    ...newOrder,
    subscription_id: live.id,
    period_no: null,
    gateway: live.gateway,
    expires_at,
  })
  if (live.cancel_at_period_end) {
    await countResumption(tx, live.id, now)
    await setCancelAtPeriodEnd(tx, live.id, false, now)
    await setEntitlementEnd(tx, live, false)
  }
  return newOrder.id
}

/**
 * Returns the order of the unpaid period of a past-due subscription.
 * @throws Refusal alreadySubscribed if this order does not exist or is closed
 */
export async function findOpenPeriodOrder(tx: Tx, live: LiveSubscription): Promise<OrderRow> {
  const order = await selectOrderOfPeriod(tx, live.id, live.period_no + 1)
  if (order?.status !== 'pending') throw new Refusal('alreadySubscribed')
  return order
}

/** Returns whether any gateway that can charge a saved method accepts the amount of an unpaid period. */
export function isOpenPeriodPayable(
  context: Pick<BillingContext, 'gateways'>,
  { amount_cents, currency }: OrderRow,
): boolean {
  return gatewaysFor(context, { cents: [amount_cents], currency }, 'plan').length > 0
}

/**
 * Sets the requested payment method on the order of an unpaid period, which is then paid at the checkout.
 * @returns the id of the order
 */
export async function setMethodOfOpenPeriod(
  tx: Tx,
  { id }: OrderRow,
  { gateway, method, email, consent }: Pick<NewOrder, 'gateway' | 'method' | 'email' | 'consent'>,
): Promise<string> {
  await updateOpenOrder(tx, id, { gateway, method, email, ...(consent ? { consent } : {}) })
  return id
}

/**
 * Replaces the order of the unpaid period of a past-due subscription by an order that the user can pay. Called if no
 * gateway accepts the old price. The new order is for another plan, or for the same plan at its current price. A
 * payment that is later made for the old order is refunded.
 * @returns the id of the new order
 */
export async function replaceOpenPeriod(
  tx: Tx,
  live: LiveSubscription,
  unpaidOrder: OrderRow,
  newOrder: NewOrder & { plan_id: string; created_at: Date },
): Promise<string> {
  await releasePeriod(tx, unpaidOrder)
  await writeAuditEvent(tx, {
    event: 'plan_change_scheduled',
    userId: newOrder.user_id,
    at: newOrder.created_at,
    details: { subscription_id: live.id, plan_id: newOrder.plan_id },
  })
  const payableUntil = new Date(newOrder.created_at.getTime() + orderLifetimeMs)
  await insertOrder(tx, {
    ...newOrder,
    subscription_id: live.id,
    period_no: live.period_no + 1,
    expires_at: payableUntil,
  })
  return newOrder.id
}

/** Removes the period from an unpaid order, so that another order can have it. */
export async function releasePeriod(tx: Tx, { id, status, expires_at, gateway }: OrderRow): Promise<void> {
  if (status === 'pending') await transitionOrder(tx, id, 'cancelled')
  await setPeriodOfOrder(tx, id, { period_no: null, expires_at, gateway })
}
