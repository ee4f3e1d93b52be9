import { sql, type SelectQueryBuilder } from 'kysely'
import { readInOrder } from '#server/platform/database/read-pages.ts'
import type { Db, Tables, Tx } from '#server/tables.ts'
import { openAttemptStatuses } from '#server/features/billing/states/attempt-states.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'

// Queries that merge a guest into an account

/** Moves a user's orders, payment methods, subscriptions and method changes to another user. */
export async function moveBillingRecords(tx: Tx, from: string, to: string): Promise<void> {
  for (const table of ['orders', 'payment_methods', 'subscriptions', 'payment_method_setups'] as const)
    await tx.updateTable(table).set({ user_id: to }).where('user_id', '=', from).execute()
}

/**
 * Moves a user's idempotency keys to another user. If both users have used the same key, the key of the user `to`
 * remains.
 */
export async function moveIdempotencyKeys(tx: Tx, from: string, to: string): Promise<void> {
  await sql`
    UPDATE idempotency_keys AS key SET user_id = ${to}
    WHERE user_id = ${from}
      AND NOT EXISTS (SELECT 1 FROM idempotency_keys WHERE user_id = ${to} AND idempotency_keys.key = key.key)`.execute(
    tx,
  )
  await deleteIdempotencyKeys(tx, from)
}

/** Returns a user's subscription that no job has ended, even if its end has passed. */
export function selectUnendedSubscription(tx: Tx, userId: string) {
  return tx
    .selectFrom('subscriptions')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', 'in', ['active', 'past_due'])
    .executeTakeFirst()
}

// Queries that delete an account

export function selectUnfinishedSubscriptions(tx: Tx, userId: string) {
  return tx
    .selectFrom('subscriptions')
    .select(['id', 'status'])
    .where('user_id', '=', userId)
    .where('status', 'in', ['incomplete', 'active', 'past_due'])
    .execute()
}

export function selectPendingOrders(tx: Tx, userId: string) {
  return tx
    .selectFrom('orders')
    .select('id')
    .where('user_id', '=', userId)
    .where('status', '=', 'pending')
    .execute()
}

export async function selectOrderIds(tx: Tx, userId: string): Promise<string[]> {
  const rows = await tx.selectFrom('orders').select('id').where('user_id', '=', userId).execute()
  return rows.map(({ id }) => id)
}

/** Returns whether a user has ordered anything, or has any entitlement. */
export async function hasOrdersOrEntitlements(tx: Tx, userId: string): Promise<boolean> {
  const { rows } = await sql<{ bought: boolean }>`
    SELECT EXISTS (SELECT FROM orders WHERE user_id = ${userId}) OR EXISTS (SELECT FROM entitlements WHERE user_id = ${userId})
      AS bought`.execute(tx)
  return rows[0]?.bought === true
}

/**
 * Returns whether a refund of one of a user's top-ups is in progress. A refund is not in progress after its last retry.
 */
export async function hasOpenTopUpRefund(tx: Tx, userId: string): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM orders JOIN payment_attempts ON payment_attempts.order_id = orders.id JOIN refunds ON refunds.attempt_id = payment_attempts.id
    WHERE orders.user_id = ${userId} AND orders.kind = 'top_up' AND refunds.status = 'started'
      AND refunds.next_poll_at IS NOT NULL LIMIT 1`.execute(tx)
  return rows.length > 0
}

/** Schedules an immediate poll of the user's open payments. */
export async function pollPaymentsSoon(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('payment_attempts')
    .set({ next_poll_at: now, poll_count: 0 })
    .where('status', 'in', openAttemptStatuses)
    .where('order_id', 'in', tx.selectFrom('orders').select('id').where('user_id', '=', userId))
    .execute()
}

/** Deletes from a user's orders the data that requires consent to marketing. The referrer token remains. */
export async function deleteClickIds(tx: Tx, userId: string): Promise<void> {
  await sql`
    UPDATE orders SET attribution = jsonb_set(
      attribution - ARRAY['fbclid', 'ttclid', 'user_agent'],
      '{first}', coalesce((attribution -> 'first') - ARRAY['fbclid', 'ttclid'], '{}'), false)
    WHERE user_id = ${userId} AND attribution <> '{}'`.execute(tx)
}

/** Anonymises a user's orders. Amounts, dates, products and the referrer of the last touch remain. */
export async function anonymiseOrders(tx: Tx, userId: string, now: Date): Promise<void> {
  await tx
    .updateTable('orders')
    .set({
      email: '',
      attribution: sql<string>`attribution - ARRAY['fbclid', 'ttclid', 'user_agent', 'first']`,
      erased_at: now,
    })
    .where('user_id', '=', userId)
    .where('erased_at', 'is', null)
    .execute()
}

export async function deleteIdempotencyKeys(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('idempotency_keys').where('user_id', '=', userId).execute()
}

// Queries that export a user's data, each list in pages and oldest first

/**
 * Reads a query page by page, ordered by a time and an id. Truncates the time to milliseconds, because the position of
 * a page is a JavaScript date, which cannot hold PostgreSQL's microseconds.
 */
function oldestFirst<Name extends keyof Tables, Row extends { id: string }>(
  query: SelectQueryBuilder<Tables, Name, Row>,
  timeOf: (row: Row) => Date,
  { time = 'created_at', id = 'id' } = {},
) {
  const inMs = sql<Date>`date_trunc('milliseconds', ${sql.ref(time)})`
  return readInOrder(query, [inMs, timeOf], [id, (row) => row.id])
}

/** The buyer's consent, with the shown text instead of its hash. */
const withAcceptedTerms = sql<OrderRow['consent']>`CASE WHEN consent ? 'terms_hash'
  THEN (consent - 'terms_hash') || jsonb_build_object('terms_text', (SELECT text FROM accepted_terms WHERE hash = consent->>'terms_hash'))
  ELSE consent END`

export function readOrders(db: Db, userId: string) {
  const orders = db
    .selectFrom('orders')
    .select([
      'id',
      'kind',
      'video_id',
      'episode_id',
      'plan_id',
      'top_up_id',
      'status',
      'amount_cents',
      'refunded_cents',
      'bonus_cents',
      'discount_cents',
      'auto_unlock',
      'currency',
      'gateway',
      'method',
      'email',
      withAcceptedTerms.as('consent'),
      'attribution',
      'created_at',
      'paid_at',
      'withdrawn_at',
    ])
    .where('user_id', '=', userId)
  return oldestFirst(orders, (row) => row.created_at)
}

export function readSubscriptions(db: Db, userId: string) {
  const subscriptions = db
    .selectFrom('subscriptions')
    .select([
      'id',
      'plan_id',
      'status',
      'period_starts_at',
      'period_ends_at',
      'cancel_at_period_end',
      'created_at',
    ])
    .where('user_id', '=', userId)
  return oldestFirst(subscriptions, (row) => row.created_at)
}

/** Selects the methods that a user can pay with, without their gateway references. */
export function usablePaymentMethods(db: Db, userId: string) {
  return (
    db
      .selectFrom('payment_methods')
      .select(['id', 'gateway', 'brand', 'last4', 'expires_at', 'created_at'])
      .where('user_id', '=', userId)
      .where('next_detach_at', 'is', null)
      // Excludes methods whose detachment was abandoned. For these, `next_detach_at` is null too.
      .where('detach_attempts', '=', 0)
  )
}

export function readPaymentMethods(db: Db, userId: string) {
  return oldestFirst(usablePaymentMethods(db, userId), (row) => row.created_at)
}

/** Reads a user's consents to saving a payment method, with the shown text. */
export function readMethodConsents(db: Db, userId: string) {
  const consents = db
    .selectFrom('payment_method_consents')
    .innerJoin('orders', 'orders.id', 'order_id')
    .innerJoin('accepted_terms', 'accepted_terms.hash', 'terms_hash')
    .select(['order_id as id', 'order_id', 'text as terms_text', 'consented_at', 'revoked_at'])
    .where('orders.user_id', '=', userId)
  return oldestFirst(consents, (row) => row.consented_at, { time: 'consented_at', id: 'order_id' })
}

export function readRefunds(db: Db, userId: string) {
  const refunds = db
    .selectFrom('refunds')
    .innerJoin('payment_attempts', 'payment_attempts.id', 'refunds.attempt_id')
    .innerJoin('orders', 'orders.id', 'payment_attempts.order_id')
    .select([
      'refunds.id',
      'orders.id as order_id',
      'refunds.amount_cents',
      'orders.currency',
      'refunds.reason',
      'refunds.status',
      'refunds.created_at',
    ])
    .where('orders.user_id', '=', userId)
  return oldestFirst(refunds, (row) => row.created_at, { time: 'refunds.created_at', id: 'refunds.id' })
}

export function readMethodSetups(db: Db, userId: string) {
  const setups = db
    .selectFrom('payment_method_setups')
    .select(['id', 'subscription_id', 'gateway', 'method', 'status', 'decline_code', 'started_at'])
    .where('user_id', '=', userId)
  return oldestFirst(setups, (row) => row.started_at, { time: 'started_at' })
}

/** Reads the changes of a user's balance. */
export function readBalanceEntries(db: Db, userId: string) {
  const entries = db
    .selectFrom('balance_entries')
    .select(['id', 'order_id', 'kind', 'currency', 'paid_cents', 'bonus_cents', 'at'])
    .where('user_id', '=', userId)
  return oldestFirst(entries, (row) => row.at, { time: 'at' })
}

/** Reads the dramas for which a user has auto-unlock on, with the agreed terms. */
export function readAutoUnlocks(db: Db, userId: string) {
  const autoUnlocks = db
    .selectFrom('auto_unlocks')
    .leftJoin('accepted_terms', 'accepted_terms.hash', 'terms_hash')
    .select([
      'video_id as id',
      'video_id',
      'daily_limit',
      'max_price_cents',
      'currency',
      'text as terms_text',
      'created_at',
    ])
    .where('user_id', '=', userId)
  return oldestFirst(autoUnlocks, (row) => row.created_at, { id: 'video_id' })
}
