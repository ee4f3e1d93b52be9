import type { AuditedEvent } from '#contract/studio/audit-events.ts'
import { writeAuditEvent } from '#server/platform/database/write-audit-event.ts'
import type { Tx } from '#server/tables.ts'
import type { OrderRow } from './order-queries.ts'

type PaymentEvent = Extract<
  AuditedEvent,
  | 'order_paid'
  | 'order_restored'
  | 'payment_failed'
  | 'payment_auto_refunded'
  | 'order_refunded'
  | 'refund_failed'
  | 'dispute_opened'
  | 'dispute_closed'
>

/** Writes a payment event of an order to the audit log, in the transaction of the event. */
export function auditPayment(
  tx: Tx,
  event: PaymentEvent,
  order: OrderRow,
  at: Date,
  extraDetails: Record<string, unknown> = {},
): Promise<void> {
  const { id: order_id, user_id: userId, amount_cents, currency, gateway } = order
  return writeAuditEvent(tx, {
    event,
    userId,
    at,
    subject: order_id,
    details: { order_id, amount_cents, currency, gateway, ...extraDetails },
  })
}
