import { grantEntitlement } from '#server/features/library/library.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import type { Payment } from './gateway.ts'
import { insertPaymentMethod } from './method-queries.ts'
import { selectPeriodDays } from './offer-queries.ts'
import { setSubscriptionOfOrder, type OrderRow } from './order-queries.ts'
import {
  endLapsedSubscriptions,
  insertSubscription,
  moveSubscription,
  selectSubscription,
} from './subscription-queries.ts'

const dayMs = 86_400_000

/**
 * Begins the subscription of a paid order: active from now, period 0, charged through the method that was kept, and an
 * entitlement to everything until the period ends.
 */
export async function startSubscription(tx: Tx, order: OrderRow, payment: Payment, now: Date): Promise<void> {
  const subscription =
    order.subscription_id === null ? undefined : await selectSubscription(tx, order.subscription_id)
  if (!subscription) throw new Error(`order ${order.id} has no subscription`)
  // The janitor may not have been there yet, and there is one live subscription per person.
  await endLapsedSubscriptions(tx, now, order.user_id)
  const days = await selectPeriodDays(tx, subscription.plan_id)
  const endsAt = new Date(now.getTime() + days * dayMs)
  const period = {
    period_no: 0,
    period_starts_at: now,
    period_ends_at: endsAt,
    payment_method_id: await keepMethod(tx, order, payment),
  }
  if (subscription.status === 'incomplete') await moveSubscription(tx, subscription.id, 'active', period)
  else await replaceExpired(tx, order, subscription.plan_id, period, now)
  await grantEntitlement(tx, {
    userId: order.user_id,
    orderId: order.id,
    source: 'subscription',
    startsAt: now,
    endsAt,
  })
}

async function keepMethod(tx: Tx, order: OrderRow, { method }: Payment): Promise<string | null> {
  if (!method) return null
  return insertPaymentMethod(tx, {
    id: newId('pm'),
    user_id: order.user_id,
    gateway: order.gateway,
    ...method,
  })
}

/** Late money for a subscription that waited too long begins another: an expired one stays so (billing.md, "States"). */
async function replaceExpired(
  tx: Tx,
  order: OrderRow,
  planId: string,
  period: {
    period_no: number
    period_starts_at: Date
    period_ends_at: Date
    payment_method_id: string | null
  },
  now: Date,
): Promise<void> {
  const id = newId('sub')
  await insertSubscription(tx, {
    id,
    user_id: order.user_id,
    plan_id: planId,
    status: 'active',
    created_at: now,
    ...period,
  })
  await setSubscriptionOfOrder(tx, order.id, id)
}
