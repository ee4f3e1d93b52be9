import { Refusal } from '#contract/errors.ts'
import { selectAttempts } from './attempt-queries.ts'
import { isOpen } from './attempt-states.ts'
import type { BillingContext } from './billing-context.ts'
import { selectOrder } from './order-queries.ts'
import { compareAttempt } from './reconcile.ts'
import { selectRefunds } from './refund-queries.ts'
import { returnOrder } from './return-again.ts'
import { returnMoney } from './return-money.ts'
import { recheckAttempt } from './settle-order.ts'
import type { OrderStatus } from './tables.ts'

/**
 * Looks all payments of an order up at their gateways, settles what differs and sends refunds that are on their way, as the return page and the reconciliation
 * do (billing.md, "Crash safety").
 * @returns how the order stands then, and whether all was settled: not where a gateway gave no answer
 * @throws Refusal notFound
 */
export async function checkOrder(
  context: BillingContext,
  orderId: string,
): Promise<{ settled: boolean; status: OrderStatus }> {
  let settled = true
  for (const attempt of await selectAttempts(context.db, [orderId])) {
    if (isOpen(attempt.status)) await recheckAttempt(context, attempt)
    const compared = await compareAttempt(context, attempt.id)
    await returnMoney(context, attempt.id)
    const sending = (await selectRefunds(context.db, attempt.id)).some(({ status }) => status === 'started')
    settled = compared && !sending && settled
  }
  settled = (await returnOrder(context, orderId)) && settled
  const order = await selectOrder(context.db, orderId)
  if (!order) throw new Refusal('notFound')
  return { settled, status: order.status }
}
