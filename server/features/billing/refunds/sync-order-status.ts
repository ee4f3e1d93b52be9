import { restoreEntitlements, revokeEntitlements } from '#server/features/library/library.ts'
import type { Tx } from '#server/tables.ts'
import { endSubscriptionNow } from '#server/features/billing/subscriptions/end-subscription.ts'
import type { LedgerPayment } from '#server/features/billing/ledger/ledger.ts'
import {
  transitionOrder,
  selectOrder,
  setRefundedCents,
  undoRefund,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { isDisputeOpenOrLost, refundReversals } from '#server/features/billing/states/order-states.ts'
import { selectRefundedCents } from '#server/features/billing/records/refund-queries.ts'
import type { OrderStatus } from '#server/features/billing/tables.ts'

/** Returns whether an order in this status grants no access. */
const isRevoked = (status: OrderStatus) => status === 'refunded' || status === 'charged_back'

/**
 * Updates an order after refunds and disputes of its payment: its status, its entitlement, and the subscription whose
 * period it paid. A partial refund revokes nothing. A full refund or a dispute revokes only what this order granted,
 * and ends the subscription. If the refund fails or the dispute is won, the entitlement is restored, but the
 * subscription remains ended.
 * @returns the updated order
 */
export async function syncOrderStatus(
  tx: Tx,
  { order: before, attempt, at }: LedgerPayment,
): Promise<OrderRow> {
  const refunded = Math.min(await selectRefundedCents(tx, attempt.id), before.amount_cents)
  const to = statusFor(before, refunded, isDisputeOpenOrLost({ dispute: attempt.dispute_status }))
  await updateStatus(tx, before, to, refunded)
  if (isRevoked(to) && !isRevoked(before.status)) {
    await revokeEntitlements(tx, before.id, at)
    if (before.subscription_id !== null) await endSubscriptionNow(tx, before.subscription_id, at)
  }
  if (!isRevoked(to) && isRevoked(before.status)) await restoreEntitlements(tx, before.id)
  const order = await selectOrder(tx, before.id)
  if (!order) throw new Error(`order ${before.id} does not exist`)
  return order
}

function statusFor({ amount_cents, status }: OrderRow, refunded: number, disputed: boolean): OrderStatus {
  const isFullyRefunded = refunded >= amount_cents
  // The order was fully refunded before the dispute. The bank will return the disputed money, so the status does not
  // change.
  if (disputed && !(isFullyRefunded && status === 'refunded')) return 'charged_back'
  if (isFullyRefunded) return 'refunded'
  return refunded > 0 ? 'partially_refunded' : 'paid'
}

async function updateStatus(
  tx: Tx,
  { id, status }: OrderRow,
  to: OrderStatus,
  refunded: number,
): Promise<void> {
  if (status === to) return setRefundedCents(tx, id, refunded)
  // The refund failed at the gateway, so the order becomes paid again.
  const unrevokedStatus = refunded > 0 ? 'partially_refunded' : 'paid'
  if (to === unrevokedStatus && refundReversals.allows(status, to))
    return undoRefund(tx, id, unrevokedStatus, refunded)
  // The refund failed, and a dispute took the money. `refunded` cannot change to `charged_back`, so this first undoes
  // the refund.
  if (status === 'refunded') await undoRefund(tx, id, unrevokedStatus, refunded)
  // The order was fully refunded during a dispute. `charged_back` cannot change to `refunded`, so the order changes to
  // `partially_refunded` first.
  if (status === 'charged_back' && to === 'refunded') await transitionOrder(tx, id, 'partially_refunded')
  await transitionOrder(tx, id, to, { refunded_cents: refunded })
}
