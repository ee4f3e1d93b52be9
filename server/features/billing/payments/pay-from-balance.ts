import { Refusal } from '#contract/errors.ts'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import { isPayableFromBalance, debitPurchase } from '#server/features/billing/balance/balance.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { enterBalanceSale } from '#server/features/billing/ledger/balance-ledger.ts'
import { sendReceipt } from '#server/features/billing/mails/send-receipt.ts'
import { insertAttempt } from '#server/features/billing/records/attempt-queries.ts'
import { auditPayment } from '#server/features/billing/records/audit-payment.ts'
import { transitionOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import { grantPurchase } from './settle-attempt.ts'

/**
 * Pays an order from the user's balance, in the transaction that creates the order and has locked the user. Calls no
 * gateway, so the result is immediate. Stores a succeeded attempt, because refunds refer to an attempt. Reports no
 * conversion to advertising platforms, because the top-up has already been reported.
 * @throws Refusal gatewayNotOffered if the balance cannot pay for this kind of order; balanceTooLow with the missing
 * amount
 */
export async function payFromBalance(context: BillingContext, tx: Tx, order: OrderRow): Promise<void> {
  if (!isPayableFromBalance(order)) throw new Refusal('gatewayNotOffered')
  const now = context.clock.now()
  const split = await debitPurchase(tx, order, now)
  const attempt = await insertAttempt(tx, {
    id: newId('att'),
    order_id: order.id,
    number: 1,
    idempotency_key: `pay:${order.id}:1`,
    gateway: 'balance',
    reference: order.id,
    status: 'succeeded',
    started_at: now,
    next_poll_at: null,
  })
  await enterBalanceSale(tx, order, attempt, split, now)
  const { taxRate } = context.operator
  await transitionOrder(tx, order.id, 'paid', {
    paid_at: now,
    tax_rate: taxRate,
    discount_cents: split.bonus,
  })
  await auditPayment(tx, 'order_paid', order, now)
  await grantPurchase(tx, order, now)
  await sendReceipt(context, tx, order)
}
