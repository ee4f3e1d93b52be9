import type { Tx } from '#server/tables.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { enterUnwantedPayment } from '#server/features/billing/ledger/ledger.ts'
import { sendAutoRefundMail } from '#server/features/billing/mails/send-auto-refund-mail.ts'
import { detachUnusedMethod } from '#server/features/billing/payment-methods/save-payment-method.ts'
import { setReference, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { auditPayment } from '#server/features/billing/records/audit-payment.ts'
import {
  setAutoRefundReason,
  transitionOrder,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { orderStates, paidStatuses } from '#server/features/billing/states/order-states.ts'
import type { AutoRefundReason } from '#server/features/billing/tables.ts'
import { scheduleRefund } from './send-pending-refunds.ts'

interface UnwantedPayment {
  order: OrderRow
  attempt: AttemptRow
  payment: Payment
  now: Date
  /** False if the attempt had already been settled as failed or cancelled. */
  inTime: boolean
  /** False if the order has an introductory price that its buyer had already used. */
  introPriceAllowed: boolean
}

/**
 * Books a successful payment that buys nothing (a duplicate, too late, or for something already owned). In the same
 * transaction, schedules its refund and mails the reason to the buyer. Does nothing if the payment is already booked.
 */
export async function autoRefund(context: BillingContext, tx: Tx, unwanted: UnwantedPayment): Promise<void> {
  const { order, attempt, payment, now, inTime, introPriceAllowed } = unwanted
  await setReference(tx, attempt.id, payment.reference)
  if (!(await enterUnwantedPayment(tx, order, attempt, now))) return
  await detachUnusedMethod(tx, order.user_id, attempt.gateway, payment, now)
  const reason = introPriceAllowed ? autoRefundReason(order, inTime) : 'intro_price_used'
  await scheduleRefund(tx, {
    attemptId: attempt.id,
    cents: order.amount_cents,
    reason,
    now,
  })
  // If the attempt was already settled as failed or cancelled, the order remains open, because the user may be paying
  // it again.
  if (inTime && orderStates.allows(order.status, 'cancelled'))
    await transitionOrder(tx, order.id, 'cancelled')
  await setAutoRefundReason(tx, order.id, reason)
  await auditPayment(tx, 'payment_auto_refunded', order, now, { reason })
  await sendAutoRefundMail(context, tx, order, reason)
}

function autoRefundReason({ status, erased_at, withdrawn_at }: OrderRow, inTime: boolean): AutoRefundReason {
  if (erased_at !== null) return 'account_deleted'
  if (withdrawn_at !== null) return 'withdrawal'
  if (paidStatuses.includes(status)) return 'paid_twice'
  return inTime ? 'already_owned' : 'late_payment'
}
