import { grantEntitlement } from '#server/features/library/library.ts'
import { dayMs } from '#server/platform/clock.ts'
import type { Tx } from '#server/tables.ts'
import { isRenewalAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import { selectPlanIncludingArchived } from '#server/features/billing/records/product-queries.ts'
import {
  selectSubscriptionForRenewal,
  updateSubscription,
  type RenewalRow,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { syncEntitlementEnd } from '#server/features/billing/records/renewals/sync-entitlement-end.ts'
import {
  detachUnusedMethod,
  savePaymentMethod,
} from '#server/features/billing/payment-methods/save-payment-method.ts'
import { isLive } from './dunning-decision.ts'
import { continueSubscription } from './settle-renewal.ts'

interface RestoredPeriod {
  order: OrderRow
  attempt: AttemptRow
  now: Date
}

/**
 * Restores a lost period of a subscription. The payments of lost periods may be found in any sequence. The period may
 * therefore be the next one, a later one or an earlier one.
 * @returns false if the order must start or reopen the subscription
 */
export async function restorePeriod(tx: Tx, restored: RestoredPeriod, payment: Payment): Promise<boolean> {
  const { subscription_id: id, period_no } = restored.order
  if (id === null || period_no === null) return false
  const row = await selectSubscriptionForRenewal(tx, id)
  if (isLive(row) && period_no > row.period_no) {
    await continueSubscription(tx, { ...restored, row }, payment)
    return true
  }
  if (!row || !hasStarted(row) || period_no > row.period_no) return false
  await restorePastPeriod(tx, { ...restored, row, periodsAgo: row.period_no - period_no }, payment)
  return true
}

/** Returns whether a subscription is live, or was live before it ended. */
const hasStarted = (row: RenewalRow): boolean => isLive(row) || row.status === 'ended'

/**
 * Grants the entitlement of a period before the current one. The buyer has already used that period, so the current
 * period does not change. A live subscription that was restored without a payment method gets the method of this
 * payment.
 */
async function restorePastPeriod(
  tx: Tx,
  { row, order, attempt, now, periodsAgo }: RestoredPeriod & { row: RenewalRow; periodsAgo: number },
  payment: Payment,
): Promise<void> {
  const { period_days } = await selectPlanIncludingArchived(tx, order.plan_id ?? row.plan_id)
  const lengthMs = period_days * dayMs
  const startsAt = new Date((row.period_starts_at ?? now).getTime() - periodsAgo * lengthMs)
  const endsAt = new Date(startsAt.getTime() + lengthMs)
  await grantEntitlement(tx, {
    userId: order.user_id,
    orderId: order.id,
    source: 'subscription',
    startsAt,
    endsAt,
  })
  if (isRenewalAttempt(attempt) || !payment.method) return
  if (!isLive(row) || row.method_reference !== null || row.method_detached_at !== null)
    return detachUnusedMethod(tx, order.user_id, attempt.gateway, payment, now)
  const methodId = await savePaymentMethod(tx, order.user_id, attempt.gateway, payment, now)
  await updateSubscription(tx, row.id, { payment_method_id: methodId, next_run_at: now })
  await syncEntitlementEnd(tx, { ...row, gateway: attempt.gateway })
}
