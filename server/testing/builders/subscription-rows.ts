import type { Insertable } from 'kysely'
import type { AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { OrderRow } from '#server/features/billing/records/order-queries.ts'
import type {
  PaymentAttemptsTable,
  OrdersTable,
  PlansTable,
  SubscriptionsTable,
} from '#server/features/billing/tables.ts'
import { grantEntitlement } from '#server/features/library/library.ts'
import { dayMs } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db } from '#server/tables.ts'
import { insertUserRow } from './order-rows.ts'

/** Ids of the rows of a subscriber, for tests without a site and a gateway. */
export interface SubscriptionRows {
  userId: string
  planId: string
  methodId: string
  subscriptionId: string
  /** The order for the first period. */
  orderId: string
}

export async function insertPlan(db: Db, plan: Partial<Insertable<PlansTable>> = {}): Promise<string> {
  const id = newId('plan')
  await db
    .insertInto('plans')
    .values({
      id,
      names: JSON.stringify({ en: 'Weekly' }),
      descriptions: JSON.stringify({ en: 'Every episode' }),
      price_cents: 999,
      intro_price_cents: null,
      currency: 'USD',
      period_days: 7,
      ...plan,
    })
    .execute()
  return id
}

export async function insertMethod(db: Db, userId: string, reference = newId('pm')): Promise<string> {
  const id = newId('pm')
  const card = { brand: 'visa', last4: '4242' }
  const method = { id, user_id: userId, gateway: 'sandbox', reference, ...card } as const
  await db
    .insertInto('payment_methods')
    .values({ ...method, created_at: new Date() })
    .execute()
  return id
}

/** Inserts a subscription to a weekly plan. Its first period was paid by card and ends at `endsAt`. */
export async function insertSubscription(
  db: Db,
  endsAt: Date,
  change: Partial<Insertable<SubscriptionsTable>> = {},
): Promise<SubscriptionRows> {
  const startsAt = new Date(endsAt.getTime() - 7 * dayMs)
  const [userId, subscriptionId] = [newId('usr'), newId('sub')]
  await db.transaction().execute((tx) => insertUserRow(tx, userId))
  const planId = await insertPlan(db)
  const methodId = await insertMethod(db, userId)
  await db
    .insertInto('subscriptions')
    .values({
      id: subscriptionId,
      user_id: userId,
      plan_id: planId,
      payment_method_id: methodId,
      status: 'active',
      period_starts_at: startsAt,
      period_ends_at: endsAt,
      next_run_at: endsAt,
      next_charge_at: endsAt,
      created_at: startsAt,
      ...change,
    })
    .execute()
  const rows = { userId, planId, methodId, subscriptionId, orderId: '' }
  const order = await insertPlanOrder(db, rows, { period_no: 0, status: 'paid', created_at: startsAt })
  await db
    .transaction()
    .execute((tx) =>
      grantEntitlement(tx, { userId, orderId: order.id, source: 'subscription', startsAt, endsAt }),
    )
  return { ...rows, orderId: order.id }
}

/** Inserts an order of the subscription's plan. By default, it is the open order for the second period. */
export function insertPlanOrder(
  db: Db,
  { userId, planId, subscriptionId }: SubscriptionRows,
  change: Partial<Insertable<OrdersTable>> = {},
): Promise<OrderRow> {
  const at = new Date()
  return db
    .insertInto('orders')
    .values({
      id: newId('ord'),
      user_id: userId,
      kind: 'plan',
      plan_id: planId,
      subscription_id: subscriptionId,
      period_no: 1,
      status: 'pending',
      amount_cents: 999,
      currency: 'USD',
      gateway: 'sandbox',
      method: 'card',
      email: 'viewer@example.com',
      attribution: JSON.stringify({}),
      created_at: at,
      expires_at: at,
      ...change,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

/** Inserts an attempt of an order. By default, it is an attempt of the site to renew the subscription. */
export function insertAttemptRow(
  db: Db,
  orderId: string,
  change: Partial<Insertable<PaymentAttemptsTable>> = {},
): Promise<AttemptRow> {
  const { number = 1 } = change
  return db
    .insertInto('payment_attempts')
    .values({
      id: newId('att'),
      order_id: orderId,
      number,
      idempotency_key: `renew:${orderId}:${number}`,
      initiator: 'merchant',
      gateway: 'sandbox',
      status: 'started',
      started_at: new Date(),
      next_poll_at: null,
      ...change,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}
