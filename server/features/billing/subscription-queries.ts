import { sql, type Insertable, type Updateable } from 'kysely'
import { prepared, type Slots } from '#server/platform/database/prepared.ts'
import type { Db, Tx } from '#server/tables.ts'
import { checkMoved } from './state-machine.ts'
import { subscriptionStates } from './subscription-states.ts'
import type * as tables from './tables.ts'

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

const liveSubscription = prepared((db: Db, { userId, now }: Slots<{ userId: string; now: Date }>) =>
  db
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
      'plans.price_cents',
      'plans.currency',
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
    ),
)

/** The one subscription of a person that is active and not over, or in its grace, with its plan. */
export async function selectLiveSubscription(db: Db, userId: string, now: Date) {
  return (await liveSubscription(db, { userId, now }))[0]
}

/** Ends the active subscriptions whose period is over, of one person or of everybody. */
export async function endLapsedSubscriptions(tx: Tx, now: Date, userId?: string): Promise<void> {
  const lapsed = await tx
    .selectFrom('subscriptions')
    .select('id')
    .where('status', '=', sql.lit('active'))
    .where('period_ends_at', '<=', now)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .orderBy('id')
    .forUpdate()
    .execute()
  for (const { id } of lapsed) await moveSubscription(tx, id, 'ended')
}

/** @throws IllegalMove where the subscription is not live */
export async function setCancelAtPeriodEnd(tx: Tx, id: string, cancelled: boolean): Promise<void> {
  const update = tx
    .updateTable('subscriptions')
    .set({ cancel_at_period_end: cancelled })
    .where('id', '=', id)
    .where('status', 'in', ['active', 'past_due'])
  checkMoved(
    await update.executeTakeFirstOrThrow(),
    `subscription ${id} to ${cancelled ? 'cancelled' : 'renewing'}`,
  )
}

/** @throws IllegalMove where the subscription is in no state that leads to `to` */
export async function moveSubscription(
  tx: Tx,
  id: string,
  to: tables.SubscriptionStatus,
  change: Updateable<tables.SubscriptionsTable> = {},
): Promise<void> {
  const update = tx
    .updateTable('subscriptions')
    .set({ ...change, status: to })
    .where('id', '=', id)
    .where('status', 'in', subscriptionStates.from(to))
  checkMoved(await update.executeTakeFirstOrThrow(), `subscription ${id} to ${to}`)
}

export async function expireSubscriptions(db: Db, createdBefore: Date): Promise<void> {
  const update = db.updateTable('subscriptions').set({ status: 'expired' })
  await update.where('status', '=', sql.lit('incomplete')).where('created_at', '<=', createdBefore).execute()
}
