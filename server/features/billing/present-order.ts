import type { NextStep, Order } from '#contract/billing.ts'
import { listLimits } from '#contract/catalog.ts'
import { Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import { decodeCursor, encodeCursor, pageSize } from '#server/platform/cursor.ts'
import { selectAttempts, type AttemptRow } from './attempt-queries.ts'
import { isOpen } from './attempt-states.ts'
import type { BillingContext } from './billing-context.ts'
import { isPlanned, selectOrder, selectOrdersOf, type OrderRow } from './order-queries.ts'
import { declineOf } from './pay-order.ts'
import { recheckAttempt } from './settle-order.ts'

/** @throws Refusal notFound for an order that is not this person's */
export async function loadOrder(
  context: BillingContext,
  userId: string,
  orderId: string,
  language: Language,
): Promise<Order> {
  const { order, attempts } = await readOrder(context, userId, orderId)
  return presentOrder(context, order, attempts, language)
}

/**
 * An order as its gateway has it now: an open payment is looked up first.
 * @throws Refusal notFound for an order that is not this person's
 */
export async function refreshOrder(
  context: BillingContext,
  userId: string,
  orderId: string,
  language: Language,
): Promise<Order> {
  const { order, attempts } = await readOrder(context, userId, orderId)
  const open = attempts.filter(({ status }) => isOpen(status))
  if (open.length === 0) return presentOrder(context, order, attempts, language)
  for (const attempt of open) await recheckAttempt(context, attempt)
  return loadOrder(context, userId, orderId, language)
}

async function readOrder({ db }: BillingContext, userId: string, orderId: string) {
  const order = await selectOrder(db, orderId)
  if (order?.user_id !== userId) throw new Refusal('notFound')
  return { order, attempts: await selectAttempts(db, [orderId]) }
}

/** A person's orders, newest first. @throws Fault badCursor */
export async function listOrders(
  context: BillingContext,
  userId: string,
  query: { cursor?: string; limit?: number },
  language: Language,
): Promise<{ list: Order[]; next_cursor: string | null }> {
  const size = pageSize(query.limit, listLimits)
  const position = decodeCursor('orders', query.cursor, ['time', 'text'])
  const after = position && { at: position[0], id: position[1] }
  const rows = await selectOrdersOf(context.db, userId, after, size + 1)
  const page = rows.slice(0, size)
  const last = rows.length > size ? page.at(-1) : undefined
  const attempts = await selectAttempts(
    context.db,
    page.map(({ id }) => id),
  )
  return {
    list: page.map((row) =>
      presentOrder(
        context,
        row,
        attempts.filter(({ order_id }) => order_id === row.id),
        language,
      ),
    ),
    next_cursor: last ? encodeCursor('orders', [last.created_at.toISOString(), last.id]) : null,
  }
}

/** @param attempts those of the order, the latest first */
function presentOrder(
  context: BillingContext,
  row: OrderRow,
  attempts: AttemptRow[],
  language: Language,
): Order {
  const latest = attempts[0]
  const wentNowhere = latest?.status === 'failed' || latest?.status === 'cancelled'
  const declined = row.status === 'pending' && wentNowhere ? declineOf(latest) : undefined
  return {
    id: row.id,
    status: row.status,
    kind: row.kind,
    ...(row.video_id ? { video_id: row.video_id } : {}),
    ...(row.episode_id ? { episode_id: row.episode_id } : {}),
    ...(row.plan_id ? { plan_id: row.plan_id } : {}),
    amount_cents: row.amount_cents,
    refunded_cents: row.refunded_cents,
    currency: row.currency,
    gateway: row.gateway,
    created_at: row.created_at.toISOString(),
    ...(row.paid_at ? { paid_at: row.paid_at.toISOString() } : {}),
    expires_at: row.expires_at.toISOString(),
    next: nextOf(context, row, latest),
    ...(declined
      ? { declined: { reason: declined, message: context.translate(language, `refusals.${declined}`) } }
      : {}),
  }
}

/** What the browser has to do: what the open payment asks for, else to get a token for another. */
function nextOf({ gateways }: BillingContext, row: OrderRow, latest: AttemptRow | undefined): NextStep {
  // A change of plan is charged by itself, when its period begins.
  if (row.status !== 'pending' || isPlanned(row)) return { type: 'none' }
  if (latest && isOpen(latest.status)) return latest.next_step ?? { type: 'none' }
  const gateway = gateways.find(({ id }) => id === row.gateway)
  if (!gateway) return { type: 'none' }
  // Where the payment comes before the card, paying without a token makes the next one.
  return gateway.tokenStep(row.method) ?? { type: row.method === 'card' ? 'card_form' : 'none' }
}
