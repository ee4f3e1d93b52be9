import { sql } from 'kysely'
import type { OrderGatewayId } from '#contract/billing.ts'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import { emailLookupKey } from '#server/platform/email-address.ts'
import type { Db } from '#server/tables.ts'
import type { DisputeStatus, OrderStatus } from '#server/features/billing/tables.ts'

/** An operator's filters for orders. */
export interface OrderFilter {
  /** Ids or prefixes of ids. An order must match one of them. */
  ids?: readonly string[] | undefined
  status?: OrderStatus | undefined
  gateway?: OrderGatewayId | undefined
  userId?: string | undefined
  email?: string | undefined
  since?: Date | undefined
  until?: Date | undefined
}

/** The columns of an order in a list. */
const orderColumns = [
  'orders.id',
  'orders.status',
  'orders.kind',
  'orders.amount_cents',
  'orders.refunded_cents',
  'orders.currency',
  'orders.gateway',
  'orders.method',
  'orders.user_id',
  'orders.email',
  'orders.created_at',
  'orders.paid_at',
] as const

const productColumns = ['videos.titles', 'plans.names', 'episodes.number'] as const

/** The past-due subscription of an unpaid renewal, and the time of its next charge attempt (null for none). */
const dunningColumns = ['dunned.id as dunned_id', 'dunned.next_charge_at as retry_at'] as const

/** Selects orders with the columns of a list and the product that was bought. */
const selectOrdersForList = (db: Db) =>
  db
    .selectFrom('orders')
    .leftJoin('videos', 'videos.id', 'orders.video_id')
    .leftJoin('episodes', 'episodes.id', 'orders.episode_id')
    .leftJoin('plans', 'plans.id', 'orders.plan_id')
    .leftJoin('subscriptions as dunned', (join) =>
      join
        .onRef('dunned.id', '=', 'orders.subscription_id')
        .on('dunned.status', '=', 'past_due')
        .on('orders.status', '=', 'pending')
        .on(sql<boolean>`orders.period_no = dunned.period_no + 1`),
    )
    .select(orderColumns)
    .select(productColumns)
    .select(dunningColumns)

/** Maximum number of orders that one prefix of an id finds. A prefix is so long that it finds one order. */
const maxPerPrefix = sql.lit(100)

/**
 * Subquery: the ids that begin with one of these prefixes. It reads them along the primary key in their order.
 * Otherwise a generic query plan, which does not know that the prefixes match few orders, would read all orders by time
 * until a page is full. `g` sorts after every hexadecimal digit.
 */
const idsByPrefix = (prefixes: readonly string[]) => sql<string>`(
  SELECT found.id FROM unnest(${prefixes}::text[]) AS prefix CROSS JOIN LATERAL (
    SELECT id FROM orders WHERE id >= prefix AND id < prefix || 'g' ORDER BY id LIMIT ${maxPerPrefix}) AS found)`

export type OrderListRow = Awaited<ReturnType<typeof selectAllOrders>>[number]

/**
 * Selects orders of all users after a cursor position, latest first. An index returns them in this order, except for
 * filters by id or e-mail address, which find few orders. Status, gateway and limit are SQL literals, because a
 * generic query plan would scan all orders for a rare status.
 */
export function selectAllOrders(db: Db, filter: OrderFilter, after: PagePosition | undefined, limit: number) {
  let page = db
    .selectFrom('orders')
    .select(['id'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(sql.lit(limit))
  const { ids, status, gateway, userId, email, since, until } = filter
  if (ids !== undefined) page = page.where('id', 'in', idsByPrefix(ids))
  if (status !== undefined) page = page.where('status', '=', sql.lit(status))
  if (gateway !== undefined) page = page.where('gateway', '=', sql.lit(gateway))
  if (userId !== undefined) page = page.where('user_id', '=', userId)
  if (email !== undefined) page = page.where(sql<string>`lower(email)`, '=', emailLookupKey(email))
  if (since !== undefined) page = page.where('created_at', '>=', since)
  if (until !== undefined) page = page.where('created_at', '<', until)
  if (after !== undefined)
    page = page.where(
      sql<boolean>`created_at <= ${after.at} AND (created_at < ${after.at} OR id > ${after.id})`,
    )
  return selectOrdersForList(db)
    .innerJoin(page.as('page'), 'page.id', 'orders.id')
    .orderBy('orders.created_at', 'desc')
    .orderBy('orders.id')
    .execute()
}

/** Returns one order with the columns of a list. */
export function selectOrderListRow(db: Db, id: string): Promise<OrderListRow | undefined> {
  return selectOrdersForList(db).where('orders.id', '=', id).executeTakeFirst()
}

/**
 * Selects payments whose dispute has the given state, after a cursor position, latest payment first. A subquery reads
 * the page in index order, and only its rows are joined.
 */
export function selectDisputes(db: Db, state: DisputeStatus, after: PagePosition | undefined, limit: number) {
  let page = db
    .selectFrom('payment_attempts')
    .select(['id', 'order_id', 'dispute_debited_cents', 'reference', 'started_at'])
    .select(['dispute_amount_cents', 'dispute_reason', 'dispute_respond_by', 'dispute_reference'])
    // This condition is redundant, but without it the partial index does not match.
    .where('dispute_status', 'is not', null)
    .where('dispute_status', '=', state)
    .orderBy('started_at', 'desc')
    .orderBy('id')
    .limit(sql.lit(limit))
  if (after !== undefined)
    page = page.where(
      sql<boolean>`started_at <= ${after.at} AND (started_at < ${after.at} OR id > ${after.id})`,
    )
  return selectOrdersForList(db)
    .innerJoin(page.as('page'), 'page.order_id', 'orders.id')
    .select(['page.id as attempt_id', 'page.dispute_debited_cents', 'page.reference', 'page.started_at'])
    .select([
      'page.dispute_amount_cents',
      'page.dispute_reason',
      'page.dispute_respond_by',
      'page.dispute_reference',
    ])
    .orderBy('page.started_at', 'desc')
    .orderBy('page.id')
    .execute()
}
