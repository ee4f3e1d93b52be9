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

/** Returns whether an order in this state grants nothing. */
const isRevoked = (status: OrderStatus) => status === 'refunded' || status === 'charged_back'

/**
 * Updates an order to the refunds and disputes of its payment: its state, its entitlement, and the subscription of which it
 * paid a period. A partial refund revokes nothing; a full one, or a dispute, revokes what this order granted and nothing else.
 * Money that comes back grants that again, but starts no subscription.
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
  if (!order) throw new Error(`order ${before.id} is gone`)
  return order
}

function statusFor({ amount_cents, status }: OrderRow, refunded: number, disputed: boolean): OrderStatus {
  const isFullyRefunded = refunded >= amount_cents
  // A bank can keep nothing of a fully refunded payment: it will return the disputed money.
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
  // If the refund failed, the customer has paid after all.
  const unrevokedStatus = refunded > 0 ? 'partially_refunded' : 'paid'
  if (to === unrevokedStatus && refundReversals.allows(status, to))
    return undoRefund(tx, id, unrevokedStatus, refunded)
  // A bank takes money whose refund was booked: that refund is undone first.
  if (status === 'refunded') await undoRefund(tx, id, unrevokedStatus, refunded)
  // It was refunded during the dispute: both end at once.
  if (status === 'charged_back' && to === 'refunded') await transitionOrder(tx, id, 'partially_refunded')
  await transitionOrder(tx, id, to, { refunded_cents: refunded })
}
