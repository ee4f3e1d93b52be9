import { sql, type Updateable } from 'kysely'
import { preparedQuery, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'
import { lockOwner } from '#server/features/billing/records/order-queries.ts'
import { knownPrice, nextPrice } from '#server/features/billing/records/price-queries.ts'
import type * as tables from '#server/features/billing/tables.ts'

const liveStatusNames = ['active', 'past_due'] as const
/** SQL literals instead of parameters, so that PostgreSQL can use the partial index with this condition. */
const liveStatuses = liveStatusNames.map((status) => sql.lit(status))

/** SQL condition: a subscription is due at the time `$1`. */
export const hasDueSubscriptions = `EXISTS (SELECT FROM subscriptions WHERE status IN ('${liveStatusNames.join("', '")}') AND next_run_at <= $1)`

/**
 * Takes the due subscriptions, longest due first. Reserves them until `until`, so that no other process takes them
 * before that time.
 */
export async function takeDueSubscriptions(db: Db, now: Date, until: Date, limit: number): Promise<string[]> {
  const claimed = await db
    .with('due', (subscriptions) =>
      subscriptions
        .selectFrom('subscriptions')
        .select('id')
        .where('status', 'in', liveStatuses)
        .where('next_run_at', '<=', now)
        .orderBy('next_run_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .updateTable('subscriptions')
    .set({ next_run_at: until })
    .where('id', 'in', (subscriptions) => subscriptions.selectFrom('due').select('id'))
    .returning('id')
    .execute()
  return claimed.map(({ id }) => id)
}

const ownerOf = preparedQuery((db: Db, { id }: Placeholders<{ id: string }>) =>
  db.selectFrom('subscriptions').select('user_id').where('id', '=', id),
)

/** Returns a subscription's current owner. */
async function selectSubscriber(db: Db, id: string): Promise<string | undefined> {
  return (await ownerOf(db, { id }))[0]?.user_id
}

/** Locks a subscription's owner. */
export async function lockSubscriber(tx: Tx, id: string): Promise<void> {
  await lockOwner(tx, () => selectSubscriber(tx, id))
}

export type RenewalRow = Awaited<ReturnType<typeof subscriptionForRenewal>>[number]

const subscriptionForRenewal = preparedQuery((db: Db, { id }: Placeholders<{ id: string }>) =>
  db
    .selectFrom('subscriptions')
    .innerJoin('plans', 'plans.id', 'subscriptions.plan_id')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .leftJoin('payment_methods', 'payment_methods.id', 'subscriptions.payment_method_id')
    .select([
      'subscriptions.id',
      'subscriptions.user_id',
      'subscriptions.plan_id',
      'subscriptions.status',
      'subscriptions.period_no',
      'subscriptions.period_starts_at',
      'subscriptions.period_ends_at',
      'subscriptions.cancel_at_period_end',
      'subscriptions.next_charge_at',
      'subscriptions.grace_ends_at',
      'subscriptions.method_detached_at',
      'subscriptions.method_chosen_at',
      'plans.names',
      nextPrice.as('price_cents'),
      'subscriptions.announced_price_from',
      'plans.currency',
      'plans.period_days',
      'users.email',
      'users.language',
      'users.time_zone',
      'payment_methods.gateway',
      'payment_methods.reference as method_reference',
      'payment_methods.last4 as method_last4',
    ])
    .where('subscriptions.id', '=', id),
)

/** Returns a subscription with all data for its renewal. */
export async function selectSubscriptionForRenewal(db: Db, id: string): Promise<RenewalRow | undefined> {
  return (await subscriptionForRenewal(db, { id }))[0]
}

const orderOfPeriod = preparedQuery((db: Db, { id, period }: Placeholders<{ id: string; period: number }>) =>
  db.selectFrom('orders').selectAll().where('subscription_id', '=', id).where('period_no', '=', period),
)

/** Returns the order for one period of a subscription. */
export async function selectOrderOfPeriod(db: Db, id: string, period: number) {
  return (await orderOfPeriod(db, { id, period }))[0]
}

/** Returns the order of a planned change of plan, which waits for the next period. */
export function selectPlannedOrder(db: Db, subscriptionId: string) {
  return db
    .selectFrom('orders')
    .selectAll()
    .where('subscription_id', '=', subscriptionId)
    .where('period_no', 'is', null)
    .where('status', '=', sql.lit('pending'))
    .executeTakeFirst()
}

/** Returns the price of the next period if the plan does not change. */
export const currentPlanPrice = ({ price_cents: amount_cents, currency }: RenewalRow) => ({
  amount_cents,
  currency,
})

/**
 * Returns the price of the next period. This is the price of the period's order, otherwise of the planned change of
 * plan, and otherwise of the current plan.
 */
export async function selectNextPrice(
  db: Db,
  row: RenewalRow,
  order: { amount_cents: number; currency: string } | undefined,
): Promise<{ amount_cents: number; currency: string }> {
  return order ?? (await selectPlannedOrder(db, row.id)) ?? currentPlanPrice(row)
}

/**
 * Takes the subscriptions with a due reminder, and clears the reminder. The caller must queue the mails in the same
 * transaction. Cancelled subscriptions keep their reminder, because they may be resumed.
 */
export async function takeDueReminders(tx: Tx, now: Date, limit: number): Promise<string[]> {
  const due = await tx
    .selectFrom('subscriptions')
    .select('id')
    .where('status', '=', sql.lit('active'))
    .where('cancel_at_period_end', '=', sql.lit(false))
    .where('remind_at', 'is not', null)
    .where('remind_at', '<=', now)
    .orderBy('remind_at')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
  const ids = due.map(({ id }) => id)
  if (ids.length > 0)
    await tx.updateTable('subscriptions').set({ remind_at: null }).where('id', 'in', ids).execute()
  return ids
}

/**
 * Takes the subscriptions whose plan costs more than the price that the user was notified of or, before the first
 * notice, agreed to. Records that their users are notified of the new price, and that it applies from `from`. The caller
 * must queue the mails in the same transaction. Skips subscriptions that are cancelled or have a planned change of plan.
 * The index `subscriptions_known_price` finds them for each plan, so that subscriptions at the plan's price are not read.
 */
export async function takeDuePriceNotices(
  tx: Tx,
  from: Date,
  limit: number,
): Promise<{ id: string; cents: number }[]> {
  const { rows: due } = await sql<{ id: string; cents: number }>`
    SELECT due.id, plans.price_cents AS cents FROM plans CROSS JOIN LATERAL (
      SELECT id FROM subscriptions
      WHERE plan_id = plans.id AND status = 'active' AND NOT cancel_at_period_end AND payment_method_id IS NOT NULL
        AND ${knownPrice} < plans.price_cents
        AND NOT EXISTS (SELECT FROM orders WHERE subscription_id = subscriptions.id AND period_no IS NULL AND status = 'pending')
      ORDER BY ${knownPrice} LIMIT ${limit} FOR UPDATE SKIP LOCKED) AS due
    LIMIT ${limit}`.execute(tx)
  for (const { id, cents } of due)
    await updateSubscription(tx, id, { announced_price_cents: cents, announced_price_from: from })
  return due
}

/** Updates a subscription whose status does not change. */
export async function updateSubscription(
  tx: Tx,
  id: string,
  change: Omit<Updateable<tables.SubscriptionsTable>, 'status'>,
): Promise<void> {
  await tx.updateTable('subscriptions').set(change).where('id', '=', id).execute()
}
