import { Refusal } from '#contract/errors.ts'
import type { OrderFile } from '#contract/studio/orders.ts'
import { listEntitlementsOfOrder } from '#server/features/library/library.ts'
import type { Db } from '#server/tables.ts'
import { selectAttempts, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import { presentListed, type Look } from './list-all-orders.ts'
import {
  selectLedgerOfOrder,
  selectWebhookEventsOfOrder,
  selectRefundsOfOrder,
  selectRenewalOf,
} from './order-details-queries.ts'
import { selectRefundable } from '#server/features/billing/balance/bonus-queries.ts'
import type { RefundLimit } from '#server/features/billing/refunds/refund-order.ts'
import { selectListedOrder } from './order-list-queries.ts'
import { selectOrder, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import { selectShownTerms } from '#server/features/billing/records/shown-terms-queries.ts'
import { selectUnreturnedOf } from '#server/features/billing/refunds/unreturned-queries.ts'

/**
 * Loads all details of one order for operators.
 * @throws Refusal notFound
 * @param limit the most that the operator may refund; undefined for no limit
 */
export async function loadOrderDetails(
  db: Db,
  orderId: string,
  look: Look,
  limit: Pick<RefundLimit, 'mostCents'> | undefined,
): Promise<OrderFile> {
  const [listed, order] = await Promise.all([selectListedOrder(db, orderId), selectOrder(db, orderId)])
  if (!listed || !order) throw new Refusal('notFound')
  const [attempts, refunds, notifications, ledger, entitlements] = await Promise.all([
    selectAttempts(db, [orderId]),
    selectRefundsOfOrder(db, orderId),
    selectWebhookEventsOfOrder(db, orderId),
    selectLedgerOfOrder(db, orderId),
    listEntitlementsOfOrder(db, orderId, look.language),
  ])
  const [unreturned] = await selectUnreturnedOf(db, orderId)
  return {
    order: presentListed(listed, look),
    subscription_id: order.subscription_id,
    period_no: order.period_no,
    renews_at: (await selectRenewalOf(db, orderId))?.toISOString() ?? null,
    introductory: order.introductory,
    restored_at: order.restored_at?.toISOString() ?? null,
    expires_at: order.expires_at.toISOString(),
    agreed_to: await wordsOf(db, order),
    refundable_cents: refundableCents(order, unreturned?.cents, limit?.mostCents(order.currency)),
    ...(order.kind === 'top_up' ? { unspent_cents: await selectRefundable(db, orderId) } : {}),
    attempts: attempts.map(presentAttempt),
    refunds: refunds.map((each) => ({ ...each, created_at: each.created_at.toISOString() })),
    notifications: notifications.map(({ received_at, applied_at, ...heard }) => ({
      ...heard,
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
  unreturnedCents = 0,
  mostCents?: number,
): number {
  if (status === 'cancelled' || status === 'expired' || status === 'failed')
    return Math.min(unreturnedCents, mostCents ?? unreturnedCents)
  if (status !== 'paid' && status !== 'partially_refunded') return 0
  return Math.max(0, Math.min(amount_cents, mostCents ?? amount_cents) - refunded_cents)
}

function presentAttempt(row: AttemptRow): OrderFile['attempts'][number] {
  const { id, number, status, gateway, reference, decline_code, dispute, disputed_cents } = row
  const started_at = row.started_at.toISOString()
  const check_at = row.check_at?.toISOString() ?? null
  return {
    id,
    number,
    status,
    gateway,
    reference,
    decline_code,
    dispute,
    disputed_cents,
    started_at,
    check_at,
  }
}

/** Returns the terms that the buyer agreed to. */
async function wordsOf(db: Db, { consent }: Pick<OrderRow, 'consent'>): Promise<string | null> {
  if (consent?.shown_hash === undefined) return consent?.shown ?? null
  return selectShownTerms(db, consent.shown_hash)
}
