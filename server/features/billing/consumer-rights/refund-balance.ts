import type { refundBalance as refundCall } from '#contract/balance.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { Refusal } from '#contract/errors.ts'
import { selectUnspentTopUps } from '#server/features/billing/balance/bonus-queries.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'

type Refunds = ResultOf<typeof refundCall>['refunds']

/**
 * Refunds a user's unspent paid balance, less the spent bonus. Each top-up is refunded to the payment method that paid
 * it. Amounts that a gateway refuses to refund stay in the balance. Also works while balances are off.
 * @throws Refusal notRefundable if there is nothing to refund
 */
export async function refundBalance(context: BillingContext, userId: string): Promise<{ refunds: Refunds }> {
  const unspent = await selectUnspentTopUps(context.db, userId)
  const topUps = unspent.filter(({ refundable_cents }) => refundable_cents > 0)
  if (topUps.length === 0) throw new Refusal('notRefundable')
  const refundsByCurrency = new Map<string, Refunds[number]>()
  for (const { order_id, currency, refundable_cents } of topUps) {
    const refund = refundsByCurrency.get(currency) ?? { currency, amount_cents: 0, refused_cents: 0 }
    const refundingCents = await refundTopUp(context, order_id)
    refund.amount_cents += refundingCents
    refund.refused_cents += Math.max(0, refundable_cents - refundingCents)
    refundsByCurrency.set(currency, refund)
  }
  return { refunds: [...refundsByCurrency.values()] }
}

/** Refunds a top-up. Logs a refusal and does not throw it. @returns the amount that is being refunded */
async function refundTopUp(context: BillingContext, orderId: string): Promise<number> {
  try {
    return (await refundOrder(context, orderId, { reason: 'balance_refund' })).amountCents
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    context.log.warn({ order: orderId, reason: error.reason }, 'a top-up could not be refunded')
    return 0
  }
}
