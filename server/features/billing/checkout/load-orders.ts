import type { NextStep, Order } from '#contract/billing.ts'
import { listLimits } from '#contract/catalog.ts'
import { Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import { readPage } from '#server/platform/read-page.ts'
import {
  isRenewalAttempt,
  selectAttempts,
  type AttemptRow,
} from '#server/features/billing/records/attempt-queries.ts'
import { isOpen, isInProgress } from '#server/features/billing/states/attempt-states.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectEpisodeNumbers } from '#server/features/billing/records/product-queries.ts'
import { paidStatuses } from '#server/features/billing/states/order-states.ts'
import {
  isPlanChange,
  selectOrder,
  selectOrdersOf,
  type OrderRow,
} from '#server/features/billing/records/order-queries.ts'
import { undoDeadlineOf } from '#server/features/billing/balance/auto-unlock-windows.ts'
import { selectUndoneVideoIds } from '#server/features/billing/balance/auto-unlock-queries.ts'
import { declineReasonOf } from '#server/features/billing/payments/pay-order.ts'
import { recheckAttempt } from '#server/features/billing/payments/settle-attempt.ts'
import { selectPlanChangeStarts } from '#server/features/billing/records/renewals/subscription-queries.ts'
import { findGateway } from '#server/features/billing/gateways/gateways.ts'

/** Loads an order of a user. @throws Refusal notFound for an order of another user */
export async function loadOrder(
  context: BillingContext,
  userId: string,
  orderId: string,
  language: Language,
): Promise<Order> {
  const { order, details } = await readOrder(context, userId, orderId)
  return presentOrder(context, order, details, language)
}

/**
 * Returns an order after querying its open payments at the gateway.
 * @throws Refusal notFound for an order of another user
 */
export async function refreshOrder(
  context: BillingContext,
  userId: string,
  orderId: string,
  language: Language,
): Promise<Order> {
  const { order, details } = await readOrder(context, userId, orderId)
  const open = details.attempts.filter(({ status }) => isOpen(status))
  if (open.length === 0) return presentOrder(context, order, details, language)
  for (const attempt of open) await recheckAttempt(context, attempt)
  return loadOrder(context, userId, orderId, language)
}

/**
 * Reads the attempts before the order. If the order were read first, a pending order could be combined with an attempt
 * that has just paid it.
 */
async function readOrder(
  context: BillingContext,
  userId: string,
  orderId: string,
): Promise<{ order: OrderRow; details: OrderDetails }> {
  const attempts = await selectAttempts(context.db, [orderId])
  const order = await selectOrder(context.db, orderId)
  if (order?.user_id !== userId) throw new Refusal('notFound')
  return { order, details: { attempts, ...(await readDetails(context, [order])) } }
}

/** Data of orders that is not in the `orders` table. */
interface OrderDetails {
  /** The attempts of all orders, latest first. */
  attempts: AttemptRow[]
  /** The start of a pending change of plan, by subscription. */
  planChangeStarts: Map<string, Date | null>
  /** The numbers of the purchased episodes, by id. */
  episodeNumbers: Map<string, number>
  /** The ids of the automatic orders that can be undone now. */
  undoable: ReadonlySet<string>
}

async function readDetails(
  context: BillingContext,
  orders: OrderRow[],
): Promise<Omit<OrderDetails, 'attempts'>> {
  const [planChangeStarts, episodeNumbers, undoable] = await Promise.all([
    readPlanChangeStarts(context, orders),
    readEpisodeNumbers(context, orders),
    readUndoable(context, orders),
  ])
  return { planChangeStarts, episodeNumbers, undoable }
}

function readPlanChangeStarts(
  { db }: BillingContext,
  orders: OrderRow[],
): Promise<OrderDetails['planChangeStarts']> {
  return selectPlanChangeStarts(
    db,
    orders.filter(isPendingPlanChange).flatMap(({ subscription_id }) => subscription_id ?? []),
  )
}

function readEpisodeNumbers(
  { db }: BillingContext,
  orders: OrderRow[],
): Promise<OrderDetails['episodeNumbers']> {
  return selectEpisodeNumbers(
    db,
    orders.flatMap(({ episode_id }) => episode_id ?? []),
  )
}

async function readUndoable(
  { db, clock }: BillingContext,
  orders: OrderRow[],
): Promise<OrderDetails['undoable']> {
  const now = clock.now()
  const recent = orders.filter(
    (one) => one.auto_unlock && one.status !== 'refunded' && now <= undoDeadlineOf(one),
  )
  const [{ user_id } = {}] = recent
  if (user_id === undefined) return new Set()
  const undone = await selectUndoneVideoIds(db, user_id, now)
  return new Set(recent.flatMap(({ id, video_id }) => (undone.has(video_id ?? '') ? [] : [id])))
}

/** Returns whether an order is a planned change of plan, which is charged automatically when its period begins. */
const isPendingPlanChange = (order: OrderRow): boolean => order.status === 'pending' && isPlanChange(order)

/** Lists a user's orders, newest first. @throws Fault invalidCursor */
export async function listOrders(
  context: BillingContext,
  userId: string,
  query: { cursor?: string; limit?: number },
  language: Language,
): Promise<{ list: Order[]; next_cursor: string | null }> {
  const paging = { cursor: query.cursor, size: choosePageSize(query.limit, listLimits) }
  const { page, next_cursor } = await readPage(
    'orders',
    paging,
    (after, limit) => selectOrdersOf(context.db, userId, after, limit),
    ({ created_at, id }) => [created_at, id],
  )
  const ids = page.map(({ id }) => id)
  const [attempts, more] = await Promise.all([selectAttempts(context.db, ids), readDetails(context, page)])
  const details = { attempts, ...more }
  return {
    list: page.map((row) => presentOrder(context, row, details, language)),
    next_cursor,
  }
}

function presentOrder(
  context: BillingContext,
  row: OrderRow,
  { attempts, planChangeStarts, episodeNumbers, undoable }: OrderDetails,
  language: Language,
): Order {
  // Ignores an automatic renewal attempt in progress, because the user can pay manually in the meantime.
  const latest = attempts.find(
    (one) => one.order_id === row.id && !(isRenewalAttempt(one) && isInProgress(one.status)),
  )
  const hasFailed = latest?.status === 'failed' || latest?.status === 'cancelled'
  const declined = row.status === 'pending' && hasFailed ? declineReasonOf(latest) : undefined
  return {
    id: row.id,
    status: row.status,
    kind: row.kind,
    ...(row.video_id ? { video_id: row.video_id } : {}),
    ...(row.episode_id ? { episode_id: row.episode_id } : {}),
    ...(row.episode_id && episodeNumbers.has(row.episode_id)
      ? { episode_number: episodeNumbers.get(row.episode_id) }
      : {}),
    ...(row.plan_id ? { plan_id: row.plan_id } : {}),
    ...(row.top_up_id ? { top_up_id: row.top_up_id } : {}),
    amount_cents: row.amount_cents,
    refunded_cents: row.refunded_cents,
    ...(row.bonus_cents === null ? {} : { bonus_cents: row.bonus_cents }),
    ...(row.discount_cents === null ? {} : { discount_cents: row.discount_cents }),
    ...(row.auto_unlock
      ? { auto_unlock: { undo_until: undoDeadlineOf(row).toISOString(), can_undo: undoable.has(row.id) } }
      : {}),
    currency: row.currency,
    gateway: row.gateway,
    created_at: row.created_at.toISOString(),
    ...(row.paid_at ? { paid_at: row.paid_at.toISOString() } : {}),
    expires_at: row.expires_at.toISOString(),
    ...(isPendingPlanChange(row) ? { starts_at: planChangeStartOf(row, planChangeStarts) } : {}),
    next: nextStepOf(context, row, latest),
    ...(isProcessing(row, attempts) ? { processing: true } : {}),
    ...(row.auto_refund_reason && !paidStatuses.includes(row.status)
      ? {
          auto_refund: {
            reason: row.auto_refund_reason,
            message: context.translate(language, `autoRefund.${row.auto_refund_reason}`),
          },
        }
      : {}),
    ...(declined
      ? { declined: { reason: declined, message: context.translate(language, `refusals.${declined}`) } }
      : {}),
  }
}

/**
 * Returns whether an unpaid order has a payment that waits only for the gateway. Such an order may already be closed.
 */
function isProcessing({ id, status }: OrderRow, attempts: readonly AttemptRow[]): boolean {
  const own = attempts.filter(({ order_id }) => order_id === id)
  return (
    !paidStatuses.includes(status) &&
    own.some((one) => one.status === 'processing' || one.status === 'unknown')
  )
}

function planChangeStartOf(
  { subscription_id }: OrderRow,
  planChangeStarts: OrderDetails['planChangeStarts'],
): string | null {
  return (subscription_id && planChangeStarts.get(subscription_id)?.toISOString()) || null
}

/**
 * Returns the browser's next step: the step of the open payment or, if none is open, the step that begins a payment.
 */
function nextStepOf(context: BillingContext, row: OrderRow, latest: AttemptRow | undefined): NextStep {
  if (row.status !== 'pending' || isPendingPlanChange(row)) return { type: 'none' }
  if (latest && isOpen(latest.status)) return latest.next_step ?? { type: 'none' }
  const gateway = findGateway(context, row.gateway)
  if (!gateway) return { type: 'none' }
  // If the gateway has no token step, the browser first requests the payment and then shows the card form for it.
  return gateway.tokenStep(row.method) ?? { type: row.method === 'card' ? 'card_form' : 'none' }
}
