import { sql, type Insertable, type Updateable } from 'kysely'
import { preparedLookup, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'
import { activeUntil } from './active-subscription.ts'
import { nextPrice } from '#server/features/billing/records/price-queries.ts'
import { checkTransition } from '#server/features/billing/states/state-machine.ts'
import {
  subscriptionRestorations,
  subscriptionStates,
} from '#server/features/billing/states/subscription-states.ts'
import type * as tables from '#server/features/billing/tables.ts'

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

/**
 * Returns when the planned change of plan of each subscription starts. The time is null for a cancelled subscription,
 * whose change will not happen.
 */
export async function selectPlanChangeStarts(db: Db, ids: string[]): Promise<Map<string, Date | null>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('subscriptions')
    .select(['id', 'period_ends_at', 'cancel_at_period_end'])
    .where('id', 'in', ids)
    .execute()
  return new Map(
    rows.map(({ id, period_ends_at, cancel_at_period_end: cancelled }) => [
      id,
      cancelled ? null : period_ends_at,
    ]),
  )
}

const liveSubscription = preparedLookup((db: Db, { userId }: Placeholders<{ userId: string }>) =>
  db
    .selectFrom('subscriptions')
    .innerJoin('plans', 'plans.id', 'subscriptions.plan_id')
    .leftJoin('payment_methods', 'payment_methods.id', 'subscriptions.payment_method_id')
    .leftJoin('orders as planned', (join) =>
      join
        .onRef('planned.subscription_id', '=', 'subscriptions.id')
        .on('planned.status', '=', sql.lit('pending'))
        .on('planned.period_no', 'is', null),
    )
    .leftJoin('plans as next_plans', 'next_plans.id', 'planned.plan_id')
    .leftJoin('orders as owed', (join) =>
      join
        .onRef('owed.subscription_id', '=', 'subscriptions.id')
        .on(sql.ref('owed.period_no'), '=', sql`${sql.ref('subscriptions.period_no')} + 1`)
        .on('owed.status', '=', sql.lit('pending')),
    )
    .leftJoin('plans as owed_plans', 'owed_plans.id', 'owed.plan_id')
    .select([
      'subscriptions.id',
      'next_plans.id as next_plan_id',
      'next_plans.names as next_names',
      'next_plans.period_days as next_period_days',
      'planned.amount_cents as next_cents',
      'planned.currency as next_currency',
      'owed_plans.id as owed_plan_id',
      'owed_plans.names as owed_names',
      'owed_plans.period_days as owed_period_days',
      'owed.amount_cents as owed_cents',
      'owed.currency as owed_currency',
      'subscriptions.status',
      'subscriptions.plan_id',
      'subscriptions.period_no',
      'subscriptions.period_ends_at',
      'subscriptions.grace_ends_at',
      'subscriptions.cancel_at_period_end',
      'subscriptions.method_detached_at',
      'plans.names',
      'plans.period_days',
      nextPrice.as('price_cents'),
      'plans.currency',
      'payment_methods.gateway',
      'payment_methods.brand',
      'payment_methods.last4',
    ])
    .where('subscriptions.user_id', '=', userId)
    .where('subscriptions.status', 'in', ['active', 'past_due']),
)

export type LiveSubscription = Awaited<ReturnType<typeof liveSubscription>>[number]

/** Returns a user's subscription that is active at a time, with its plan. */
export async function selectActiveSubscription(
  db: Db,
  userId: string,
  now: Date,
): Promise<LiveSubscription | undefined> {
  const [row] = await liveSubscription(db, { userId })
  const end = row && activeUntil(row)
  return end && now < end ? row : undefined
}

/** Returns the id of a user's subscription whose end has passed and which no job has ended yet. */
export async function selectExpiredSubscription(
  tx: Tx,
  userId: string,
  now: Date,
): Promise<string | undefined> {
  const [row] = await liveSubscription(tx, { userId })
  const end = row && activeUntil(row)
  return row && !(end && now < end) ? row.id : undefined
}

/**
 * Cancels or resumes the renewals of a subscription. Makes it due for the renewal job, because its end or its next
 * charge may change.
 * @throws IllegalTransition if the subscription is neither active nor past due
 */
export async function setCancelAtPeriodEnd(tx: Tx, id: string, cancelled: boolean, now: Date): Promise<void> {
  const update = tx
    .updateTable('subscriptions')
    .set({ cancel_at_period_end: cancelled, next_run_at: now })
    .where('id', '=', id)
    .where('status', 'in', ['active', 'past_due'])
  checkTransition(
    await update.executeTakeFirstOrThrow(),
    `subscription ${id} to ${cancelled ? 'cancelled' : 'renewing'}`,
  )
}

/** Changes the status of a subscription. @throws IllegalTransition if the current status cannot change to `to` */
export async function transitionSubscription(
  tx: Tx,
  id: string,
  to: tables.SubscriptionStatus,
  change: Updateable<tables.SubscriptionsTable> = {},
): Promise<void> {
  const update = tx
    .updateTable('subscriptions')
    .set({ ...change, status: to })
    .where('id', '=', id)
    .where('status', 'in', subscriptionStates.sourcesOf(to))
  checkTransition(await update.executeTakeFirstOrThrow(), `subscription ${id} to ${to}`)
}

/**
 * Activates a subscription that ended or expired because the database had lost its payments.
 * @throws IllegalTransition if it has not ended or expired
 */
export async function reopenSubscription(
  tx: Tx,
  id: string,
  change: Updateable<tables.SubscriptionsTable>,
): Promise<void> {
  const update = tx
    .updateTable('subscriptions')
    .set({ ...change, status: 'active', ended_at: null })
    .where('id', '=', id)
    .where('status', 'in', subscriptionRestorations.sourcesOf('active'))
  checkTransition(await update.executeTakeFirstOrThrow(), `subscription ${id} back to active`)
}

export async function expireSubscriptions(db: Db, createdBefore: Date): Promise<void> {
  const update = db.updateTable('subscriptions').set({ status: 'expired' })
  await update.where('status', '=', sql.lit('incomplete')).where('created_at', '<=', createdBefore).execute()
}
