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

/** An order that is in one of these gives nothing. */
const givesNothing = (status: OrderStatus) => status === 'refunded' || status === 'charged_back'

/**
 * Has an order follow what has gone back of the money that it was paid with: its state, what it gave, and a subscription
 * that it paid a period of (billing.md, "States"). A part takes nothing away; all of it, or a dispute, takes what this order
 * gave and nothing else. Money that comes back gives that again, but no subscription begins by it.
 * @returns the order as it is then
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
  // Of what has gone back as a whole nothing is left to be taken by a bank: it will give that back.
  if (disputed && !(whole && status === 'refunded')) return 'charged_back'
  if (whole) return 'refunded'
  return refunded > 0 ? 'partially_refunded' : 'paid'
}

async function move(tx: Tx, { id, status }: OrderRow, to: OrderStatus, refunded: number): Promise<void> {
  if (status === to) return setRefunded(tx, id, refunded)
  // If the refund failed, the customer has paid after all.
  const kept = refunded > 0 ? 'partially_refunded' : 'paid'
  if (to === kept && undoneRefunds.allows(status, to)) return undoRefund(tx, id, kept, refunded)
  // A bank takes what was to go back: that is undone first.
  if (status === 'refunded') await undoRefund(tx, id, kept, refunded)
  // It was refunded while it was disputed: both are over at once.
  if (status === 'charged_back' && to === 'refunded') await moveOrder(tx, id, 'partially_refunded')
  await moveOrder(tx, id, to, { refunded_cents: refunded })
}
