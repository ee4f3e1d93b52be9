import { Refusal } from '#contract/errors.ts'
import type { OrderDetails } from '#contract/studio/orders.ts'
import { listEntitlementsOfOrder } from '#server/features/library/library.ts'
import type { Db } from '#server/tables.ts'
import { selectAttempts, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { presentOrderListItem, type OrderViewOptions } from './list-all-orders.ts'
import {
  selectLedgerOfOrder,
  selectWebhookEventsOfOrder,
  selectRefundsOfOrder,
  selectRenewalDate,
} from './order-details-queries.ts'
import { selectRefundableCents } from '#server/features/billing/balance/bonus-queries.ts'
import type { RefundLimit } from '#server/features/billing/refunds/refund-order.ts'
import { selectOrderListRow } from './order-list-queries.ts'
import { selectOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import { selectAcceptedTerms } from '#server/features/billing/records/accepted-terms-queries.ts'
import { selectUnwantedPaymentsOfOrder } from '#server/features/billing/refunds/unwanted-payment-queries.ts'

/**
 * Loads all details of one order for operators.
 * @throws Refusal notFound
 * @param limit the maximum amount that the operator may refund; undefined for no limit
 */
export async function loadOrderDetails(
  db: Db,
  orderId: string,
  viewOptions: OrderViewOptions,
  limit: Pick<RefundLimit, 'maxCents'> | undefined,
): Promise<OrderDetails> {
  const [listed, order] = await Promise.all([selectOrderListRow(db, orderId), selectOrder(db, orderId)])
  if (!listed || !order) throw new Refusal('notFound')
  const [attempts, refunds, webhookEvents, ledger, entitlements] = await Promise.all([
    selectAttempts(db, [orderId]),
    selectRefundsOfOrder(db, orderId),
    selectWebhookEventsOfOrder(db, orderId),
    selectLedgerOfOrder(db, orderId),
    listEntitlementsOfOrder(db, orderId, viewOptions.language),
  ])
  const [unwantedPayment] = await selectUnwantedPaymentsOfOrder(db, orderId)
  return {
    order: presentOrderListItem(listed, viewOptions),
    subscription_id: order.subscription_id,
    period_no: order.period_no,
    renews_at: (await selectRenewalDate(db, orderId))?.toISOString() ?? null,
    introductory: order.introductory,
    restored_at: order.restored_at?.toISOString() ?? null,
    expires_at: order.expires_at.toISOString(),
    consent_text: await loadAgreedTerms(db, order),
    refundable_cents: refundableCents(order, unwantedPayment?.cents, limit?.maxCents(order.currency)),
    ...(order.kind === 'top_up' ? { unspent_cents: await selectRefundableCents(db, orderId) } : {}),
    attempts: attempts.map(presentAttempt),
    refunds: refunds.map((each) => ({ ...each, created_at: each.created_at.toISOString() })),
    webhook_events: webhookEvents.map(({ received_at, applied_at, ...event }) => ({
      ...event,
      received_at: received_at.toISOString(),
      applied_at: applied_at?.toISOString() ?? null,
    })),
    ledger: ledger.map(({ id, transaction_id, account, amount_cents, currency, at }) => ({
      id: String(id),
      transaction_id,
      account,
      amount_cents: Number(amount_cents),
      currency,
      at: at.toISOString(),
    })),
    entitlements,
  }
}

function refundableCents(
  { status, amount_cents, refunded_cents }: OrderRow,
  unwantedCents = 0,
  maxCents?: number,
): number {
  if (status === 'cancelled' || status === 'expired' || status === 'failed')
    return Math.min(unwantedCents, maxCents ?? unwantedCents)
  if (status !== 'paid' && status !== 'partially_refunded') return 0
  return Math.max(0, Math.min(amount_cents, maxCents ?? amount_cents) - refunded_cents)
}

function presentAttempt(row: AttemptRow): OrderDetails['attempts'][number] {
  const { id, number, status, gateway, reference, decline_code, dispute_status, dispute_debited_cents } = row
  const started_at = row.started_at.toISOString()
  const next_poll_at = row.next_poll_at?.toISOString() ?? null
  return {
    id,
    number,
    status,
    gateway,
    reference,
    decline_code,
    dispute_status,
    dispute_debited_cents,
    started_at,
    next_poll_at,
  }
}

/** Returns the terms that the buyer agreed to. The consent contains their text, or its hash in `accepted_terms`. */
async function loadAgreedTerms(db: Db, { consent }: Pick<OrderRow, 'consent'>): Promise<string | null> {
  if (consent?.terms_hash === undefined) return consent?.terms_text ?? null
  return selectAcceptedTerms(db, consent.terms_hash)
}
