import { restoreEntitlements, revokeEntitlements } from '#server/features/library/library.ts'
import type { Tx } from '#server/tables.ts'
import { endNow } from '#server/features/billing/subscriptions/end-subscription.ts'
import type { Returned } from '#server/features/billing/ledger/ledger.ts'
import {
  moveOrder,
  selectOrder,
  setRefunded,
  undoRefund,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { isDisputeOpenOrLost, undoneRefunds } from '#server/features/billing/states/order-states.ts'
import { selectRefundedCents } from '#server/features/billing/records/refund-queries.ts'
import type { OrderStatus } from '#server/features/billing/tables.ts'

/** Returns whether an order in this state grants nothing. */
const givesNothing = (status: OrderStatus) => status === 'refunded' || status === 'charged_back'

/**
 * Updates an order to the refunds and disputes of its payment: its state, its entitlement, and the subscription of which it
 * paid a period. A partial refund revokes nothing; a full one, or a dispute, revokes what this order granted and nothing else.
 * Money that comes back grants that again, but starts no subscription.
 * @returns the updated order
 */
export async function syncOrderStatus(tx: Tx, { order: before, attempt, at }: Returned): Promise<OrderRow> {
  const refunded = Math.min(await selectRefundedCents(tx, attempt.id), before.amount_cents)
  const to = statusFor(before, refunded, isDisputeOpenOrLost(attempt))
  await move(tx, before, to, refunded)
  if (givesNothing(to) && !givesNothing(before.status)) {
    await revokeEntitlements(tx, before.id, at)
    if (before.subscription_id !== null) await endNow(tx, before.subscription_id, at)
  }
  if (!givesNothing(to) && givesNothing(before.status)) await restoreEntitlements(tx, before.id)
  const order = await selectOrder(tx, before.id)
  if (!order) throw new Error(`order ${before.id} is gone`)
  return order
}

function statusFor({ amount_cents, status }: OrderRow, refunded: number, disputed: boolean): OrderStatus {
  const whole = refunded >= amount_cents
  // A bank can keep nothing of a fully refunded payment: it will return the disputed money.
  if (disputed && !(whole && status === 'refunded')) return 'charged_back'
  if (whole) return 'refunded'
  return refunded > 0 ? 'partially_refunded' : 'paid'
}

async function move(tx: Tx, { id, status }: OrderRow, to: OrderStatus, refunded: number): Promise<void> {
  if (status === to) return setRefunded(tx, id, refunded)
  // If the refund failed, the customer has paid after all.
  const kept = refunded > 0 ? 'partially_refunded' : 'paid'
  if (to === kept && undoneRefunds.allows(status, to)) return undoRefund(tx, id, kept, refunded)
  // A bank takes money whose refund was booked: that refund is undone first.
  if (status === 'refunded') await undoRefund(tx, id, kept, refunded)
  // It was refunded during the dispute: both end at once.
  if (status === 'charged_back' && to === 'refunded') await moveOrder(tx, id, 'partially_refunded')
  await moveOrder(tx, id, to, { refunded_cents: refunded })
}
