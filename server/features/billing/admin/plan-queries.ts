import { sql, type Insertable, type Updateable } from 'kysely'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import type { Db, Tx } from '#server/tables.ts'
import { latestOrderEmail } from './customer-queries.ts'
import { nextPrice } from '#server/features/billing/records/price-queries.ts'
import type { PlansTable } from '#server/features/billing/tables.ts'

/** Subscribers of a plan are counted up to this number, because operators need only a rough figure. */
const maxCountedSubscribers = 1000
const maxPlans = 500

const isActiveSubscription = sql<boolean>`subscriptions.status IN ('active', 'past_due')`

const selectPlansWithSubscribers = (db: Db) =>
  db
    .selectFrom('plans')
    .selectAll()
    .select(
      sql<number>`(SELECT count(*)::int FROM (
        SELECT FROM subscriptions WHERE plan_id = plans.id AND ${isActiveSubscription} LIMIT ${sql.lit(maxCountedSubscribers)}) counted)`.as(
        'subscribers',
      ),
    )

/**
 * Returns the plans on sale by position, then the archived plans, latest first, each with its number of subscribers.
 */
export function selectAllPlans(db: Db) {
  return selectPlansWithSubscribers(db)
    .orderBy(sql`archived_at IS NOT NULL`)
    .orderBy('archived_at', 'desc')
    .orderBy('position')
    .orderBy('id')
    .limit(maxPlans)
    .execute()
}

export type PlanRowWithSubscribers = Awaited<ReturnType<typeof selectAllPlans>>[number]

export function lockPlan(tx: Tx, id: string) {
  return selectPlansWithSubscribers(tx).where('id', '=', id).forUpdate().executeTakeFirst()
}

export async function insertPlan(tx: Tx, plan: Insertable<PlansTable>): Promise<void> {
  await tx.insertInto('plans').values(plan).execute()
}

export async function updatePlan(tx: Tx, id: string, change: Updateable<PlansTable>): Promise<void> {
  await tx.updateTable('plans').set(change).where('id', '=', id).execute()
}

/** Serializes changes of plans, so that two concurrent changes cannot leave two plans highlighted. */
export async function lockPlanChanges(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('plans on sale', 0))`.execute(tx)
}

/** Removes the highlight from every other plan on sale. @returns the ids of the plans that lost the highlight */
export async function clearOtherHighlights(tx: Tx, id: string): Promise<string[]> {
  const rows = await tx
    .updateTable('plans')
    .set({ highlight: false })
    .where('highlight', '=', true)
    .where('archived_at', 'is', null)
    .where('id', '!=', id)
    .returning('id')
    .execute()
  return rows.map((row) => row.id)
}

/**
 * Selects subscribers of a plan after a cursor position, latest first, with the price of each subscriber's next period.
 */
export function selectPlanSubscribers(
  db: Db,
  planId: string,
  after: PagePosition | undefined,
  limit: number,
) {
  let page = db
    .selectFrom('subscriptions')
    .innerJoin('plans', 'plans.id', 'subscriptions.plan_id')
    .innerJoin('users', 'users.id', 'subscriptions.user_id')
    .select([
      'subscriptions.id',
      'subscriptions.user_id',
      'users.email',
      sql<string | null>`CASE WHEN users.email IS NULL THEN ${latestOrderEmail(sql.ref('users.id'))} END`.as(
        'order_email',
      ),
      'subscriptions.status',
      'subscriptions.created_at',
      'subscriptions.period_ends_at',
      'subscriptions.cancel_at_period_end',
      nextPrice.as('price_cents'),
      'plans.currency',
    ])
    .where('subscriptions.plan_id', '=', planId)
    .where(isActiveSubscription)
    .orderBy('subscriptions.created_at', 'desc')
    .orderBy('subscriptions.id')
    .limit(sql.lit(limit))
  if (after !== undefined)
    page = page.where(
      sql<boolean>`subscriptions.created_at <= ${after.at}
        AND (subscriptions.created_at < ${after.at} OR subscriptions.id > ${after.id})`,
    )
  return page.execute()
}
