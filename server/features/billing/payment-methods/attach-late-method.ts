import type { Tx } from '#server/tables.ts'
import { isRenewalAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { detachUnusedMethod, savePaymentMethod } from './save-payment-method.ts'
import { queueUnusedMethodsDetach } from '#server/features/billing/records/method-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import {
  selectSubscriptionForRenewal,
  updateSubscription,
} from '#server/features/billing/records/renewals/renewal-queries.ts'
import { saveMethodForPurchases } from './saved-method.ts'
import { syncEntitlementEnd } from '#server/features/billing/records/renewals/sync-entitlement-end.ts'

/**
 * Handles a payment method that the gateway saved some time after the payment. The method is set for the subscription
 * whose current period was paid, or is saved for further purchases if the buyer consented. It is deleted at the gateway
 * if that period is over, nothing was bought, or the subscription's method was detached. It is also deleted if the user
 * has chosen another method since.
 */
export async function attachLateMethod(
  tx: Tx,
  order: OrderRow,
  attempt: AttemptRow,
  payment: Payment,
  now: Date,
): Promise<void> {
  const { method } = payment
  if (!method || isRenewalAttempt(attempt)) return
  if (order.kind !== 'plan' && order.status === 'paid')
    return saveMethodForPurchases(tx, order, attempt, payment, now)
  const row =
    order.subscription_id === null ? undefined : await selectSubscriptionForRenewal(tx, order.subscription_id)
  const isLive = row?.status === 'active' || row?.status === 'past_due'
  const isCurrentPeriod = isLive && order.status !== 'cancelled' && order.period_no === row.period_no
  // A method that the user chose after this payment is not replaced.
  const chosenAt = row?.method_chosen_at ?? null
  if (
    !isCurrentPeriod ||
    row.method_detached_at !== null ||
    (chosenAt !== null && chosenAt > attempt.started_at)
  )
    return detachUnusedMethod(tx, order.user_id, attempt.gateway, payment, now)
  if (row.method_reference === method.reference) return
  const methodId = await savePaymentMethod(tx, order.user_id, attempt.gateway, payment, now)
  await updateSubscription(tx, row.id, { payment_method_id: methodId, next_run_at: now })
  await queueUnusedMethodsDetach(tx, order.user_id, now)
  await syncEntitlementEnd(tx, { ...row, gateway: attempt.gateway })
}
