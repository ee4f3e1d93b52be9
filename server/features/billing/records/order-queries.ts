import { sql, type Insertable, type Selectable, type Updateable } from 'kysely'
import { storedLanguageOrDefault, type Language, type OfferedLanguages } from '#contract/languages.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { preparedPage } from '#server/platform/database/prepared-page.ts'
import type { Db, Tx } from '#server/tables.ts'
import { openAttemptStatuses, inProgressStatuses } from '#server/features/billing/states/attempt-states.ts'
import { orderStates, refundReversals } from '#server/features/billing/states/order-states.ts'
import { checkTransition } from '#server/features/billing/states/state-machine.ts'
import type * as tables from '#server/features/billing/tables.ts'

export type OrderRow = Selectable<tables.OrdersTable>

/**
 * Locks a user's purchases and entitlements until the end of the transaction, so that transactions that change them run
 * one at a time. Must be called before any of the user's rows is read for a change.
 */
export async function lockBuyer(tx: Tx, userId: string): Promise<void> {
  // Locks the user's row before the advisory lock. Merging and deleting a user lock in the same order, which avoids
  // deadlocks.
  await tx.selectFrom('users').select('id').where('id', '=', userId).forKeyShare().execute()
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`buyer:${userId}`}, 0))`.execute(tx)
}

/**
 * Locks the owner of a record. Reads the owner again after each lock, because a sign-in may have moved a guest's record
 * to an account during the wait.
 * @param readOwner returns undefined if the record does not exist
 * @returns the locked owner, or undefined if the record does not exist
 */
export async function lockOwner(
  tx: Tx,
  readOwner: () => Promise<string | undefined>,
): Promise<string | undefined> {
  for (let locked: string | undefined; ;) {
    const owner = await readOwner()
    if (owner === undefined || owner === locked) return owner
    locked = owner
    await lockBuyer(tx, locked)
  }
}

/** Locks the owner of an order. @throws Error if the order does not exist */
export async function lockOrderOwner(tx: Tx, orderId: string): Promise<void> {
  const owner = await lockOwner(tx, async () => (await selectOrder(tx, orderId))?.user_id)
  if (owner === undefined) throw new Error(`order ${orderId} does not exist`)
}

/** Inserts the order, unless an order with this id exists. */
export async function insertOrder(tx: Tx, order: Insertable<tables.OrdersTable>): Promise<void> {
  await tx
    .insertInto('orders')
    .values(order)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Returns whether an order is a planned change of plan, which waits for the next period of its subscription. */
export function isPlanChange({ subscription_id, period_no }: OrderRow): boolean {
  return subscription_id !== null && period_no === null
}

/** Returns whether an order pays for the second or a later period of a subscription. */
export function isRenewal({ period_no }: Pick<OrderRow, 'period_no'>): boolean {
  return (period_no ?? 0) > 0
}

export function selectOrder(db: Db, id: string) {
  return db.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Returns the user's open order for the same product, price, bonus and saved method. */
export function selectMatchingOpenOrder(
  tx: Tx,
  order: Pick<
    OrderRow,
    | 'user_id'
    | 'kind'
    | 'video_id'
    | 'episode_id'
    | 'top_up_id'
    | 'bonus_cents'
    | 'bonus_days'
    | 'amount_cents'
    | 'currency'
    | 'saved_method_id'
  > & { created_at: Date },
) {
  return tx
    .selectFrom('orders')
    .select('id')
    .where('user_id', '=', order.user_id)
    .where('status', '=', sql.lit('pending'))
    .where('saved_method_id', '=', order.saved_method_id)
    .where('kind', '=', order.kind)
    .where('video_id', 'is not distinct from', order.video_id)
    .where('episode_id', 'is not distinct from', order.episode_id)
    .where('top_up_id', 'is not distinct from', order.top_up_id)
    .where('bonus_cents', 'is not distinct from', order.bonus_cents)
    .where('bonus_days', 'is not distinct from', order.bonus_days)
    .where('amount_cents', '=', order.amount_cents)
    .where('currency', '=', order.currency)
    .where('expires_at', '>', order.created_at)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Selects a page of a user's orders, newest first. */
export const selectOrdersOf = preparedPage((db: Db, { userId, limit, isAfterPosition }) =>
  db
    .selectFrom('orders')
    .selectAll()
    .where('user_id', '=', userId)
    .where(isAfterPosition('created_at', 'id'))
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .limit(limit),
)

/** Changes the status of an order. @throws IllegalTransition if the current status cannot change to `to` */
export async function transitionOrder(
  tx: Tx,
  id: string,
  to: tables.OrderStatus,
  change: Updateable<tables.OrdersTable> = {},
): Promise<void> {
  const update = tx
    .updateTable('orders')
    .set({ ...change, status: to })
    .where('id', '=', id)
    .where('status', 'in', orderStates.sourcesOf(to))
  checkTransition(await update.executeTakeFirstOrThrow(), `order ${id} to ${to}`)
}

/** Sets the refunded amount of an order whose status does not change. */
export async function setRefundedCents(tx: Tx, id: string, refundedCents: number): Promise<void> {
  await tx.updateTable('orders').set({ refunded_cents: refundedCents }).where('id', '=', id).execute()
}

/** Sets the reason why a payment for an order was refunded automatically. */
export async function setAutoRefundReason(
  tx: Tx,
  id: string,
  reason: tables.AutoRefundReason,
): Promise<void> {
  await tx.updateTable('orders').set({ auto_refund_reason: reason }).where('id', '=', id).execute()
}

/** Marks an order as restored from its payment. */
export async function markOrderRestored(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.updateTable('orders').set({ restored_at: now }).where('id', '=', id).execute()
}

/** Reverts an order's refund that failed at the gateway. @throws IllegalTransition if the order was not refunded */
export async function undoRefund(
  tx: Tx,
  id: string,
  to: 'paid' | 'partially_refunded',
  refundedCents: number,
): Promise<void> {
  const update = tx
    .updateTable('orders')
    .set({ status: to, refunded_cents: refundedCents })
    .where('id', '=', id)
    .where('status', 'in', refundReversals.sourcesOf(to))
  checkTransition(await update.executeTakeFirstOrThrow(), `order ${id} back to ${to}`)
}

/** Returns a user's stored language, or the default language if the site does not offer it. */
export async function selectLanguageOf(tx: Tx, userId: string, offered: OfferedLanguages): Promise<Language> {
  const row = await tx.selectFrom('users').select('language').where('id', '=', userId).executeTakeFirst()
  return storedLanguageOrDefault(row?.language, offered)
}

/** Returns a user's stored time zone, for the dates in mails. */
export async function selectTimeZoneOf(tx: Tx, userId: string): Promise<string | null> {
  const row = await tx.selectFrom('users').select('time_zone').where('id', '=', userId).executeTakeFirst()
  return row?.time_zone ?? null
}

/**
 * Closes a batch of the orders that were not paid in time, and schedules their open attempts for polling. A planned
 * change of plan does not expire while its subscription is active or past due. The next renewal charges it, even after
 * an outage. An order with a payment in progress waits for the result.
 * @returns the number of closed orders
 */
export async function expireOrders(db: Db, now: Date, limit: number): Promise<number> {
  const expired = await inTransaction(db, (tx) => expireUnpaidOrders(tx, now, limit))
  const ids = expired.map(({ id }) => id)
  // Uses a second transaction, because settling a payment locks the attempt before the order.
  if (ids.length > 0) await inTransaction(db, (tx) => pollAttemptsSoon(tx, ids, now))
  return ids.length
}

function expireUnpaidOrders(tx: Tx, now: Date, limit: number) {
  const unpaid = tx
    .selectFrom('orders')
    .select('id')
    .where('status', '=', sql.lit('pending'))
    .where('expires_at', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('payment_attempts')
            .select('payment_attempts.id')
            .whereRef('payment_attempts.order_id', '=', 'orders.id')
            .where('payment_attempts.status', 'in', inProgressStatuses),
        ),
      ),
    )
    .where(({ not, and, exists, selectFrom }) =>
      not(
        and([
          sql<boolean>`period_no IS NULL`,
          exists(
            selectFrom('subscriptions')
              .select('subscriptions.id')
              .whereRef('subscriptions.id', '=', 'orders.subscription_id')
              .where('subscriptions.status', 'in', ['active', 'past_due']),
          ),
        ]),
      ),
    )
    .orderBy('expires_at')
    .limit(limit)
    // An order that another transaction is changing is left to the next call.
    .forNoKeyUpdate()
    .skipLocked()
  return tx
    .updateTable('orders')
    .set({ status: 'expired' })
    .where('id', 'in', unpaid)
    .returning('id')
    .execute()
}

async function pollAttemptsSoon(tx: Tx, orderIds: readonly string[], now: Date): Promise<void> {
  await tx
    .updateTable('payment_attempts')
    .set({ next_poll_at: now })
    .where(sql<boolean>`order_id = ANY(${orderIds})`)
    .where('status', 'in', openAttemptStatuses)
    .execute()
}

/**
 * Sets the period of a subscription's order, with its expiry and gateway. This gives a planned change of plan the next
 * period.
 */
export async function setPeriodOfOrder(
  tx: Tx,
  orderId: string,
  period: Pick<OrderRow, 'period_no' | 'expires_at' | 'gateway'>,
): Promise<void> {
  await tx.updateTable('orders').set(period).where('id', '=', orderId).execute()
}

/** Changes the payment method of an open order, and the e-mail address and consent that were given with it. */
export async function updateOpenOrder(
  tx: Tx,
  orderId: string,
  change: Pick<
    Updateable<tables.OrdersTable>,
    'gateway' | 'method' | 'saved_method_id' | 'email' | 'consent'
  >,
): Promise<void> {
  await tx.updateTable('orders').set(change).where('id', '=', orderId).execute()
}

/** Assigns an order to a subscription, as the payment of its first period. */
export async function setSubscriptionOfOrder(tx: Tx, orderId: string, subscriptionId: string): Promise<void> {
  const change = { subscription_id: subscriptionId, period_no: 0 }
  await tx.updateTable('orders').set(change).where('id', '=', orderId).execute()
}
