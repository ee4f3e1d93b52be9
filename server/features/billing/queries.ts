import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import type { GatewayId } from '#contract/billing.ts'
import type { Db, Tx } from '#server/tables.ts'
import { attemptStates, openAttemptStatuses } from './attempt-states.ts'
import { orderStates } from './order-states.ts'
import { IllegalMove } from './state-machine.ts'
import { subscriptionStates } from './subscription-states.ts'
import type * as tables from './tables.ts'

export type PlanRow = Selectable<tables.PlansTable>
export type OrderRow = Selectable<tables.OrdersTable>
export type AttemptRow = Selectable<tables.AttemptsTable>
export type RefundRow = Selectable<tables.RefundsTable>

/**
 * Lets one transaction at a time change what a person buys and owns; held to the end of the transaction. It is taken
 * before any row of that person's is read to be changed.
 */
export async function lockBuyer(tx: Tx, userId: string): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`buyer:${userId}`}, 0))`.execute(tx)
}

// What is for sale

export function selectPlans(db: Db) {
  return db
    .selectFrom('plans')
    .selectAll()
    .where('retired_at', 'is', null)
    .orderBy('position')
    .orderBy('id')
    .execute()
}

export function selectPlan(db: Db, id: string) {
  return db
    .selectFrom('plans')
    .selectAll()
    .where('id', '=', id)
    .where('retired_at', 'is', null)
    .executeTakeFirst()
}

/** A plan's period, also where it is no longer on sale. */
export async function selectPeriodDays(db: Db, planId: string): Promise<number> {
  const plan = await db
    .selectFrom('plans')
    .select('period_days')
    .where('id', '=', planId)
    .executeTakeFirstOrThrow()
  return plan.period_days
}

/** Puts the plans in where there are none at all. Two processes may try at once. */
export async function insertFirstPlans(tx: Tx, plans: Insertable<tables.PlansTable>[]): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('first plans', 0))`.execute(tx)
  if (await tx.selectFrom('plans').select('id').limit(1).executeTakeFirst()) return
  await tx.insertInto('plans').values(plans).execute()
}

/** An episode that can be played and may be bought now, with its video's prices. */
export function selectEpisodeOnSale(db: Db, id: string) {
  return db
    .selectFrom('episodes')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .select([
      'episodes.id',
      'episodes.number',
      'episodes.video_id',
      'videos.free_episodes',
      'videos.episode_cents',
      'videos.currency',
    ])
    .where('episodes.id', '=', id)
    .where('episodes.asset_id', 'is not', null)
    .where('videos.state', '=', 'published')
    .executeTakeFirst()
}

export function selectVideoOnSale(db: Db, id: string) {
  return db
    .selectFrom('videos')
    .select(['id', 'video_cents', 'currency'])
    .where('id', '=', id)
    .where('state', '=', 'published')
    .executeTakeFirst()
}

// Orders

/** Makes the order, unless the one with this id is there already. */
export async function insertOrder(tx: Tx, order: Insertable<tables.OrdersTable>): Promise<void> {
  await tx
    .insertInto('orders')
    .values(order)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export function selectOrder(db: Db, id: string) {
  return db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst()
}

/** A person's orders, newest first, after a position. */
export function selectOrdersOf(
  db: Db,
  userId: string,
  after: { at: string; id: string } | undefined,
  limit: number,
) {
  return db
    .selectFrom('orders')
    .selectAll()
    .where('user_id', '=', userId)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`created_at <= ${after?.at} AND (created_at < ${after?.at} OR id > ${after?.id})`,
      ),
    )
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** @throws IllegalMove where the order is in no state that leads to `to` */
export async function moveOrder(
  tx: Tx,
  id: string,
  to: tables.OrderStatus,
  change: Updateable<tables.OrdersTable> = {},
): Promise<void> {
  const update = tx.updateTable('orders').set({ ...change, status: to })
  const { numUpdatedRows } = await update
    .where('id', '=', id)
    .where('status', 'in', orderStates.from(to))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new IllegalMove(`order ${id} to ${to}`)
}

/** Closes the orders that were not paid in time, and has their open attempts looked at. @returns how many */
export async function expireOrders(db: Db, now: Date): Promise<number> {
  const expired = await db
    .updateTable('orders')
    .set({ status: 'expired' })
    .where('status', '=', 'pending')
    .where('expires_at', '<=', now)
    .returning('id')
    .execute()
  const ids = expired.map(({ id }) => id)
  if (ids.length > 0) {
    await db
      .updateTable('attempts')
      .set({ check_at: now })
      .where('order_id', 'in', ids)
      .where('status', 'in', openAttemptStatuses)
      .execute()
  }
  return ids.length
}

// Attempts

export function insertAttempt(tx: Tx, attempt: Insertable<tables.AttemptsTable>): Promise<AttemptRow> {
  return tx.insertInto('attempts').values(attempt).returningAll().executeTakeFirstOrThrow()
}

/** The gateway's name for a payment of which we only knew our own. */
export async function setReference(tx: Tx, attemptId: string, reference: string): Promise<void> {
  await tx
    .updateTable('attempts')
    .set({ reference })
    .where('id', '=', attemptId)
    .where('reference', 'is', null)
    .execute()
}

export function selectAttempt(db: Db, id: string) {
  return db.selectFrom('attempts').selectAll().where('id', '=', id).executeTakeFirst()
}

export function selectAttemptByReference(db: Db, gateway: GatewayId, reference: string) {
  return db
    .selectFrom('attempts')
    .selectAll()
    .where('gateway', '=', gateway)
    .where('reference', '=', reference)
    .executeTakeFirst()
}

/** The attempts of these orders, the latest first. */
export function selectAttempts(db: Db, orderIds: readonly string[]) {
  if (orderIds.length === 0) return Promise.resolve([])
  return db
    .selectFrom('attempts')
    .selectAll()
    .where('order_id', 'in', orderIds)
    .orderBy('number', 'desc')
    .execute()
}

/** When a person's latest card payments since then began that failed or are still under way, the latest first. */
export async function selectCardFailures(db: Db, userId: string, since: Date, limit: number) {
  const rows = await db
    .selectFrom('orders')
    .innerJoin('attempts', 'attempts.order_id', 'orders.id')
    .select('attempts.started_at')
    .where('orders.user_id', '=', userId)
    .where('orders.method', '=', 'card')
    .where('attempts.status', 'in', ['started', 'failed'])
    .where('attempts.started_at', '>', since)
    .orderBy('attempts.started_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ started_at }) => started_at)
}

/** @throws IllegalMove where the attempt is in no state that leads to `to` */
export async function moveAttempt(
  tx: Tx,
  id: string,
  to: tables.AttemptStatus,
  change: Updateable<tables.AttemptsTable> = {},
): Promise<void> {
  const update = tx.updateTable('attempts').set({ ...change, status: to })
  const { numUpdatedRows } = await update
    .where('id', '=', id)
    .where('status', 'in', attemptStates.from(to))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new IllegalMove(`attempt ${id} to ${to}`)
}

/**
 * Takes the open attempts whose time has come, and sets when each is looked at next, so that two processes do not do
 * the same work.
 */
export async function takeDueAttempts(
  tx: Tx,
  now: Date,
  next: (checks: number) => Date | null,
  limit: number,
): Promise<AttemptRow[]> {
  const due = await tx
    .selectFrom('attempts')
    .selectAll()
    .where('status', 'in', openAttemptStatuses)
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { id, checks } of due) {
    await tx
      .updateTable('attempts')
      .set({ checks: checks + 1, check_at: next(checks + 1) })
      .where('id', '=', id)
      .execute()
  }
  return due
}

// Refunds

/** Notes that money has to go back, unless it is noted already. */
export async function insertRefund(tx: Tx, refund: Insertable<tables.RefundsTable>): Promise<void> {
  await tx
    .insertInto('refunds')
    .values(refund)
    .onConflict((conflict) => conflict.column('idempotency_key').doNothing())
    .execute()
}

export function selectRefunds(db: Db, attemptId: string) {
  return db.selectFrom('refunds').selectAll().where('attempt_id', '=', attemptId).execute()
}

/** @returns false where it was finished before */
export async function finishRefund(tx: Tx, id: string, status: 'succeeded' | 'failed'): Promise<boolean> {
  const update = tx
    .updateTable('refunds')
    .set({ status, check_at: null })
    .where('id', '=', id)
    .where('status', '=', 'started')
  return (await update.executeTakeFirstOrThrow()).numUpdatedRows === 1n
}

export async function takeDueRefunds(
  tx: Tx,
  now: Date,
  next: (checks: number) => Date | null,
  limit: number,
): Promise<RefundRow[]> {
  const due = await tx
    .selectFrom('refunds')
    .selectAll()
    .where('status', '=', 'started')
    .where('check_at', '<=', now)
    .orderBy('check_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  for (const { id, checks } of due) {
    await tx
      .updateTable('refunds')
      .set({ checks: checks + 1, check_at: next(checks + 1) })
      .where('id', '=', id)
      .execute()
  }
  return due
}

// Subscriptions

export async function insertSubscription(
  tx: Tx,
  subscription: Insertable<tables.SubscriptionsTable>,
): Promise<void> {
  await tx
    .insertInto('subscriptions')
    .values(subscription)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export function selectSubscription(db: Db, id: string) {
  return db.selectFrom('subscriptions').selectAll().where('id', '=', id).executeTakeFirst()
}

/** The one subscription of a person that is active and not over, or in its grace, with its plan. */
export function selectLiveSubscription(db: Db, userId: string, now: Date) {
  return db
    .selectFrom('subscriptions')
    .innerJoin('plans', 'plans.id', 'subscriptions.plan_id')
    .leftJoin('payment_methods', 'payment_methods.id', 'subscriptions.payment_method_id')
    .select([
      'subscriptions.id',
      'subscriptions.status',
      'subscriptions.plan_id',
      'subscriptions.period_ends_at',
      'subscriptions.cancel_at_period_end',
      'plans.names',
      'plans.period_days',
      'payment_methods.gateway',
    ])
    .where('subscriptions.user_id', '=', userId)
    .where((where) =>
      where.or([
        where('subscriptions.status', '=', 'past_due'),
        where.and([
          where('subscriptions.status', '=', 'active'),
          where('subscriptions.period_ends_at', '>', now),
        ]),
      ]),
    )
    .executeTakeFirst()
}

/** Ends the active subscriptions whose period is over, of one person or of everybody. */
export async function endLapsedSubscriptions(tx: Tx, now: Date, userId?: string): Promise<void> {
  const lapsed = await tx
    .selectFrom('subscriptions')
    .select('id')
    .where('status', '=', 'active')
    .where('period_ends_at', '<=', now)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const { id } of lapsed) await moveSubscription(tx, id, 'ended')
}

export async function setSubscriptionOfOrder(tx: Tx, orderId: string, subscriptionId: string): Promise<void> {
  await tx.updateTable('orders').set({ subscription_id: subscriptionId }).where('id', '=', orderId).execute()
}

/** @throws IllegalMove where the subscription is in no state that leads to `to` */
export async function moveSubscription(
  tx: Tx,
  id: string,
  to: tables.SubscriptionStatus,
  change: Updateable<tables.SubscriptionsTable> = {},
): Promise<void> {
  const update = tx.updateTable('subscriptions').set({ ...change, status: to })
  const { numUpdatedRows } = await update
    .where('id', '=', id)
    .where('status', 'in', subscriptionStates.from(to))
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) throw new IllegalMove(`subscription ${id} to ${to}`)
}

export async function expireSubscriptions(db: Db, createdBefore: Date): Promise<void> {
  const update = db.updateTable('subscriptions').set({ status: 'expired' })
  await update.where('status', '=', 'incomplete').where('created_at', '<=', createdBefore).execute()
}

/** Keeps a method for renewals; one that is known already stays the same. @returns its id */
export async function insertPaymentMethod(
  tx: Tx,
  method: Insertable<tables.PaymentMethodsTable>,
): Promise<string> {
  const { id } = await tx
    .insertInto('payment_methods')
    .values(method)
    .onConflict((conflict) =>
      conflict.columns(['gateway', 'reference']).doUpdateSet({ brand: method.brand, last4: method.last4 }),
    )
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

// The ledger

export async function insertLedgerLines(tx: Tx, lines: Insertable<tables.LedgerLinesTable>[]): Promise<void> {
  await tx.insertInto('ledger_lines').values(lines).execute()
}

export async function hasLedgerTransaction(tx: Tx, transactionId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('ledger_lines')
    .select('id')
    .where('transaction_id', '=', transactionId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

// Idempotency keys

export type KeyRow = Pick<
  Selectable<tables.IdempotencyKeysTable>,
  'call' | 'body_hash' | 'reserved_id' | 'holder' | 'answer'
>

interface KeyClaim {
  user_id: string
  key: string
  call: string
  body_hash: string
  reserved_id: string
  holder: string
  seconds: number
}

/**
 * Takes a key that is new, or whose holder let its lease lapse without an answer.
 * @returns the row as it stands now; the caller has the key where `holder` is its own
 */
export async function claimKey(db: Db, { seconds, ...claim }: KeyClaim): Promise<KeyRow | undefined> {
  const held_until = sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`
  const taken = await db
    .insertInto('idempotency_keys')
    .values({ ...claim, held_until })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'key'])
        .doUpdateSet({ holder: claim.holder, held_until })
        .where('idempotency_keys.answer', 'is', null)
        .where('idempotency_keys.held_until', '<', sql<Date>`clock_timestamp()`)
        .where('idempotency_keys.call', '=', claim.call)
        .where('idempotency_keys.body_hash', '=', claim.body_hash),
    )
    .returning(['call', 'body_hash', 'reserved_id', 'holder', 'answer'])
    .executeTakeFirst()
  return taken ?? selectKey(db, claim.user_id, claim.key)
}

function selectKey(db: Db, userId: string, key: string) {
  return db
    .selectFrom('idempotency_keys')
    .select(['call', 'body_hash', 'reserved_id', 'holder', 'answer'])
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Holds a key longer, or (0 seconds) lets it go. */
export async function extendKey(
  db: Db,
  holder: string,
  userId: string,
  key: string,
  seconds: number,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ held_until: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})` })
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('holder', '=', holder)
    .where('answer', 'is', null)
    .execute()
}

export async function answerKey(
  db: Db,
  holder: string,
  userId: string,
  key: string,
  answer: object,
): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ answer: JSON.stringify(answer) })
    .where('user_id', '=', userId)
    .where('key', '=', key)
    .where('holder', '=', holder)
    .execute()
}

export async function deleteOldKeys(db: Db, createdBefore: Date): Promise<void> {
  await db.deleteFrom('idempotency_keys').where('created_at', '<', createdBefore).execute()
}

// Notifications

/** Records what a gateway told us; the same event a second time changes nothing. */
export async function insertNotification(
  db: Db,
  notification: Insertable<tables.NotificationsTable>,
): Promise<void> {
  await db
    .insertInto('notifications')
    .values(notification)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export function selectOpenNotifications(db: Db, receivedSince: Date, limit: number) {
  return db
    .selectFrom('notifications')
    .select(['gateway', 'event_id', 'reference'])
    .where('applied_at', 'is', null)
    .where('received_at', '>', receivedSince)
    .orderBy('received_at')
    .limit(limit)
    .execute()
}

export async function markApplied(db: Db, gateway: GatewayId, eventId: string, now: Date): Promise<void> {
  await db
    .updateTable('notifications')
    .set({ applied_at: now })
    .where('gateway', '=', gateway)
    .where('event_id', '=', eventId)
    .execute()
}
