import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newId } from '#server/platform/ids.ts'
import type { Tx } from '#server/tables.ts'
import {
  insertAttemptRow,
  insertMethod,
  insertPlan,
  insertPlanOrder,
  insertSubscription,
  type SubscriptionRows,
} from '#server/testing/builders/subscription-rows.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { isRenewalAttempt, type AttemptRow } from '#server/features/billing/records/attempt-queries.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { isRenewal, type OrderRow } from '#server/features/billing/records/order-queries.ts'
import { becomePastDue, continueSubscription, findRenewal, recordFailedRenewal } from './settle-renewal.ts'
import type { SubscriptionsTable } from '#server/features/billing/tables.ts'
import type { Insertable } from 'kysely'

const day = 86_400_000
const periodEnd = new Date('2026-03-01T12:00:00Z')
const after = (milliseconds: number, from = periodEnd) => new Date(from.getTime() + milliseconds)
const graceEnd = after(3 * day)
const customerAttempt = () => ({ idempotency_key: newId('att'), initiator: 'customer' as const })
const context = { publicUrl: 'https://drama.example', languages: () => ['en'] as const }

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const inTransaction = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)

interface Renewal {
  rows: SubscriptionRows
  order: OrderRow
  attempt: AttemptRow
}

/** Creates a subscription with the order for its second period and an attempt to pay it. */
async function makeRenewal({
  subscription = {},
  order: change = {},
  attempt = {},
}: {
  subscription?: Partial<Insertable<SubscriptionsTable>>
  order?: Parameters<typeof insertPlanOrder>[2]
  attempt?: Parameters<typeof insertAttemptRow>[2]
} = {}): Promise<Renewal> {
  const { db } = database
  const rows = await insertSubscription(db, periodEnd, subscription)
  const order = await insertPlanOrder(db, rows, change)
  const key = `renew:${rows.subscriptionId}`
  const values = { idempotency_key: key, started_at: periodEnd, ...attempt }
  return { rows, order, attempt: await insertAttemptRow(db, order.id, values) }
}

/** Detaches the order of the first period, as if it was lost with a restore of the database. */
const loseFirstOrder = ({ rows }: Renewal) =>
  database.db
    .updateTable('orders')
    .set({ subscription_id: null, period_no: null })
    .where('id', '=', rows.orderId)
    .execute()

const pastDue = { status: 'past_due', grace_ends_at: graceEnd, next_charge_at: after(day) } as const

const read = ({ subscriptionId }: SubscriptionRows) =>
  database.db
    .selectFrom('subscriptions')
    .selectAll()
    .where('id', '=', subscriptionId)
    .executeTakeFirstOrThrow()

/** Returns the end of an order's entitlement, or undefined if the order granted none. */
async function endOf(orderId: string): Promise<Date | null | undefined> {
  const row = database.db.selectFrom('entitlements').select('ends_at').where('order_id', '=', orderId)
  return (await row.executeTakeFirst())?.ends_at
}

const mailsAbout = async ({ id }: OrderRow) => {
  const rows = await database.db.selectFrom('mails').select(['template', 'recipient', 'fields']).execute()
  return rows.filter(({ fields }) => fields.order === id)
}

describe('the subscription of a renewal order', () => {
  const find = ({ order }: Renewal, change: Partial<OrderRow> = {}) =>
    inTransaction((tx) => findRenewal(tx, { ...order, ...change }))

  test.each(['active', 'past_due'] as const)('is found if its status is %s', async (status) => {
    const renewal = await makeRenewal({ subscription: { status } })
    expect(await find(renewal)).toMatchObject({ id: renewal.rows.subscriptionId, period_no: 0 })
  })

  test.each(['ended', 'expired', 'incomplete'] as const)(
    'is not found if its status is %s',
    async (status) => {
      expect(await find(await makeRenewal({ subscription: { status } }))).toBeUndefined()
    },
  )

  test('is not found for an order of another period, a first order, or an order without a subscription', async () => {
    const renewal = await makeRenewal()
    for (const change of [{ period_no: 2 }, { period_no: 0 }, { period_no: null }, { subscription_id: null }])
      expect(await find(renewal, change)).toBeUndefined()
  })

  test('is not found if its period has no end', async () => {
    expect(await find(await makeRenewal({ subscription: { period_ends_at: null } }))).toBeUndefined()
  })
})

test('an order after the first period is a renewal', () => {
  expect([null, 0, 1, 2].map((period_no) => isRenewal({ period_no }))).toEqual([false, false, true, true])
})

test('an attempt is a renewal if the merchant initiated it', async () => {
  const { attempt } = await makeRenewal()
  expect(isRenewalAttempt(attempt)).toBe(true)
  expect(isRenewalAttempt({ ...attempt, initiator: 'customer' })).toBe(false)
})

describe('a paid renewal', () => {
  const payment = {
    reference: 'payment',
    status: 'succeeded',
    orderId: '',
    attemptId: '',
    amountCents: 999,
    refundedCents: 0,
    currency: 'USD',
  } as const

  async function pay({ order, attempt }: Renewal, now: Date, method?: Payment['method']): Promise<void> {
    await inTransaction(async (tx) => {
      const row = await findRenewal(tx, order)
      if (!row) throw new Error('there is nothing to renew')
      await continueSubscription(tx, { row, order, attempt, now }, { ...payment, ...(method && { method }) })
    })
  }

  const wallet = (reference: string) => ({ reference, brand: 'paypal', last4: null })

  test('starts the next period at the end of the old one', async () => {
    const announcement = { announced_price_cents: 1099, announced_price_from: periodEnd }
    const renewal = await makeRenewal({ subscription: announcement, order: { amount_cents: 1099 } })
    await pay(renewal, periodEnd)
    const endsAt = after(7 * day)
    expect(await read(renewal.rows)).toMatchObject({
      status: 'active',
      plan_id: renewal.rows.planId,
      payment_method_id: renewal.rows.methodId,
      period_no: 1,
      period_starts_at: periodEnd,
      period_ends_at: endsAt,
      cancel_at_period_end: false,
      next_run_at: endsAt,
      next_charge_at: endsAt,
      grace_ends_at: null,
      remind_at: null,
      agreed_price_cents: 1099,
      announced_price_cents: null,
      announced_price_from: null,
    })
    expect(await endOf(renewal.rows.orderId)).toEqual(periodEnd)
    expect(await endOf(renewal.order.id)).toEqual(after(3 * day, endsAt))
  })

  test('ends the grace of a past-due subscription', async () => {
    const renewal = await makeRenewal({ subscription: pastDue })
    await database.db
      .updateTable('entitlements')
      .set({ ends_at: graceEnd })
      .where('order_id', '=', renewal.rows.orderId)
      .execute()
    await pay(renewal, after(day))
    expect(await read(renewal.rows)).toMatchObject({
      status: 'active',
      period_starts_at: periodEnd,
      grace_ends_at: null,
    })
    expect(await endOf(renewal.rows.orderId)).toEqual(periodEnd)
  })

  test('starts the next period at the time of the payment if the grace has ended', async () => {
    const renewal = await makeRenewal({ subscription: pastDue })
    const late = after(1, graceEnd)
    await pay(renewal, late)
    expect(await read(renewal.rows)).toMatchObject({
      period_starts_at: late,
      period_ends_at: after(7 * day, late),
    })
  })

  test('does not undo a cancellation, so access ends with the new period', async () => {
    const renewal = await makeRenewal({ subscription: { cancel_at_period_end: true } })
    await pay(renewal, periodEnd)
    expect(await read(renewal.rows)).toMatchObject({ cancel_at_period_end: true, status: 'active' })
    expect(await endOf(renewal.order.id)).toEqual(after(7 * day))
  })

  test('keeps a price that is announced for a later time, but not after a change of plan', async () => {
    const announced = { announced_price_cents: 1099, announced_price_from: after(1) }
    const renewal = await makeRenewal({ subscription: announced })
    await pay(renewal, periodEnd)
    expect(await read(renewal.rows)).toMatchObject(announced)
    const changed = await makeRenewal({
      subscription: announced,
      order: { plan_id: await insertPlan(database.db) },
    })
    await pay(changed, periodEnd)
    expect(await read(changed.rows)).toMatchObject({
      announced_price_cents: null,
      announced_price_from: null,
    })
  })

  test('switches to the plan of its order, with the period length and reminder of that plan', async () => {
    const plan_id = await insertPlan(database.db, { period_days: 365 })
    const renewal = await makeRenewal({ order: { plan_id } })
    await pay(renewal, periodEnd)
    expect(await read(renewal.rows)).toMatchObject({
      plan_id,
      period_ends_at: after(365 * day),
      remind_at: after(358 * day),
    })
    expect(await endOf(renewal.order.id)).toEqual(after(368 * day))
  })

  test('does not change the plan if its order has none', async () => {
    const renewal = await makeRenewal({ order: { plan_id: null } })
    await pay(renewal, periodEnd)
    expect(await read(renewal.rows)).toMatchObject({
      plan_id: renewal.rows.planId,
      period_ends_at: after(7 * day),
    })
  })

  test('that was paid manually undoes the cancellation and switches to the saved method', async () => {
    const renewal = await makeRenewal({
      subscription: { ...pastDue, cancel_at_period_end: true, method_detached_at: periodEnd },
      attempt: { ...customerAttempt(), started_at: after(day) },
    })
    const method = wallet(`wallet of ${renewal.rows.userId}`)
    await pay(renewal, after(day), method)
    const { payment_method_id, ...row } = await read(renewal.rows)
    expect(row).toMatchObject({
      status: 'active',
      cancel_at_period_end: false,
      method_detached_at: null,
      method_chosen_at: after(day),
    })
    const methods = await database.db
      .selectFrom('payment_methods')
      .select(['id', 'reference', 'next_detach_at'])
      .where('user_id', '=', renewal.rows.userId)
      .orderBy('next_detach_at')
      .execute()
    expect(methods).toEqual([
      { id: renewal.rows.methodId, reference: expect.any(String), next_detach_at: after(day) },
      { id: payment_method_id, reference: method.reference, next_detach_at: null },
    ])
    expect(await endOf(renewal.order.id)).toEqual(after(10 * day))
  })

  test.each([
    { when: 'before', restored_at: after(-1), keepsCancellation: false },
    { when: 'at', restored_at: periodEnd, keepsCancellation: true },
    { when: 'after', restored_at: after(1), keepsCancellation: true },
  ])(
    'whose order was restored $when the start of the manual payment keeps a cancellation: $keepsCancellation',
    async ({ restored_at, keepsCancellation }) => {
      const renewal = await makeRenewal({
        subscription: { cancel_at_period_end: true },
        order: { restored_at },
        attempt: customerAttempt(),
      })
      await pay(renewal, periodEnd)
      expect((await read(renewal.rows)).cancel_at_period_end).toBe(keepsCancellation)
    },
  )

  test.each([
    { method: 'with a saved method', graceDays: 3 },
    { method: 'without a saved method', graceDays: 0 },
  ])(
    'of a subscription that had no method, paid manually $method, grants $graceDays days of grace',
    async ({ method, graceDays }) => {
      const renewal = await makeRenewal({
        subscription: { payment_method_id: null },
        attempt: customerAttempt(),
      })
      const saved = method === 'with a saved method' ? wallet(`wallet of ${renewal.rows.userId}`) : undefined
      await pay(renewal, periodEnd, saved)
      expect(await endOf(renewal.order.id)).toEqual(after((7 + graceDays) * day))
    },
  )

  test('does not need the order of the previous period, which may not be restored yet', async () => {
    const renewal = await makeRenewal()
    await loseFirstOrder(renewal)
    await pay(renewal, periodEnd)
    expect(await read(renewal.rows)).toMatchObject({ status: 'active', period_no: 1 })
  })

  test('that was paid manually without a saved method keeps the previous method', async () => {
    const renewal = await makeRenewal({
      subscription: { method_detached_at: periodEnd },
      attempt: customerAttempt(),
    })
    await pay(renewal, periodEnd)
    expect(await read(renewal.rows)).toMatchObject({
      payment_method_id: renewal.rows.methodId,
      method_chosen_at: null,
      method_detached_at: periodEnd,
    })
  })

  test.each([
    { when: 'at the start of the payment', chosen: periodEnd, wins: true },
    { when: 'after the start of the payment', chosen: after(1), wins: false },
  ])(
    'that was paid manually replaces a payment method that the user chose $when: $wins',
    async ({ chosen, wins }) => {
      const renewal = await makeRenewal({
        subscription: { method_chosen_at: chosen },
        attempt: customerAttempt(),
      })
      const method = wallet(`wallet of ${renewal.rows.userId}`)
      await pay(renewal, after(day), method)
      expect((await read(renewal.rows)).payment_method_id === renewal.rows.methodId).toBe(!wins)
      const saved = await database.db
        .selectFrom('payment_methods')
        .select('next_detach_at')
        .where('reference', '=', method.reference)
        .executeTakeFirstOrThrow()
      expect(saved.next_detach_at).toEqual(wins ? null : after(day))
    },
  )

  test('that was charged automatically saves no method', async () => {
    const renewal = await makeRenewal()
    const method = wallet(`wallet of ${renewal.rows.userId}`)
    await pay(renewal, periodEnd, method)
    expect((await read(renewal.rows)).payment_method_id).toBe(renewal.rows.methodId)
    const saved = database.db
      .selectFrom('payment_methods')
      .select('id')
      .where('reference', '=', method.reference)
    expect(await saved.executeTakeFirst()).toBeUndefined()
  })

  test('that was charged automatically leaves unused methods to the janitor', async () => {
    const renewal = await makeRenewal()
    const unused = await insertMethod(database.db, renewal.rows.userId)
    await pay(renewal, periodEnd)
    const row = database.db.selectFrom('payment_methods').select('next_detach_at').where('id', '=', unused)
    expect((await row.executeTakeFirstOrThrow()).next_detach_at).toBeNull()
  })
})

describe('a failed renewal', () => {
  const fail = ({ order, attempt }: Renewal, reason: string, now = periodEnd) =>
    inTransaction((tx) => recordFailedRenewal(context, tx, { order, attempt, now }, reason))

  test('makes the subscription past due, with access until the end of its grace, and sends a mail', async () => {
    const renewal = await makeRenewal()
    await fail(renewal, 'card_declined')
    expect(await read(renewal.rows)).toMatchObject({
      status: 'past_due',
      grace_ends_at: graceEnd,
      next_charge_at: after(day),
      next_run_at: after(day),
    })
    expect(await endOf(renewal.rows.orderId)).toEqual(graceEnd)
    expect(await mailsAbout(renewal.order)).toEqual([
      {
        template: 'renewalFailed',
        recipient: 'viewer@example.com',
        fields: {
          link: 'https://drama.example/my',
          plan: 'Weekly',
          days: '7',
          amount: '$9.99',
          date: 'March 2, 2026 (UTC)',
          order: renewal.order.id,
        },
      },
    ])
  })

  test('names the plan of its order in the mail', async () => {
    const plan_id = await insertPlan(database.db, {
      names: JSON.stringify({ en: 'Monthly' }),
      period_days: 30,
    })
    const renewal = await makeRenewal({ order: { plan_id } })
    await fail(renewal, 'card_lost')
    expect(await mailsAbout(renewal.order)).toMatchObject([
      { template: 'renewalRefused', fields: { plan: 'Monthly', days: '30', date: 'March 4, 2026 (UTC)' } },
    ])
  })

  test('names the plan of the subscription if its order has none', async () => {
    const renewal = await makeRenewal({ order: { plan_id: null } })
    await fail(renewal, 'card_lost')
    expect(await mailsAbout(renewal.order)).toMatchObject([{ fields: { plan: 'Weekly' } }])
  })

  test('does not change access if an earlier attempt has already failed', async () => {
    const renewal = await makeRenewal({ subscription: pastDue, attempt: { started_at: after(day) } })
    await fail(renewal, 'card_declined', after(day))
    expect(await read(renewal.rows)).toMatchObject({ status: 'past_due', next_charge_at: graceEnd })
    expect(await endOf(renewal.rows.orderId)).toEqual(periodEnd)
  })

  test('starts its grace at the first attempt after an outage that was longer than the grace', async () => {
    const late = after(1, graceEnd)
    const renewal = await makeRenewal({ attempt: { started_at: late } })
    await fail(renewal, 'card_declined', after(day, late))
    expect(await read(renewal.rows)).toMatchObject({ grace_ends_at: after(3 * day, late) })
  })

  test('changes nothing if the payment was manual or the subscription has ended', async () => {
    const renewals = [
      await makeRenewal({ attempt: customerAttempt() }),
      await makeRenewal({ subscription: { status: 'ended' } }),
    ]
    for (const renewal of renewals) {
      const before = await read(renewal.rows)
      await fail(renewal, 'card_declined')
      expect(await read(renewal.rows)).toEqual(before)
      expect(await mailsAbout(renewal.order)).toEqual([])
    }
  })

  test.each([1, 3])('is retried immediately if the gateway did not receive request %i', async (number) => {
    const renewal = await makeRenewal({ attempt: { number } })
    const now = after(1000)
    await fail(renewal, 'not_received', now)
    expect(await read(renewal.rows)).toMatchObject({
      status: 'active',
      next_charge_at: now,
      next_run_at: now,
    })
    expect(await mailsAbout(renewal.order)).toEqual([])
  })

  test('is past due without a mail if the gateway did not receive the fourth request', async () => {
    const renewal = await makeRenewal({ attempt: { number: 4 } })
    await fail(renewal, 'not_received')
    expect(await read(renewal.rows)).toMatchObject({ status: 'past_due', next_charge_at: after(day) })
    expect(await mailsAbout(renewal.order)).toEqual([])
  })

  test('is not retried after a request that the gateway did not receive if no retry was planned', async () => {
    const renewal = await makeRenewal({ subscription: { ...pastDue, next_charge_at: null } })
    await fail(renewal, 'not_received')
    expect(await read(renewal.rows)).toMatchObject({
      status: 'past_due',
      next_charge_at: null,
      next_run_at: graceEnd,
    })
  })

  test('does not need the order of the previous period, which may not be restored yet', async () => {
    const renewal = await makeRenewal()
    await loseFirstOrder(renewal)
    await fail(renewal, 'card_declined')
    expect(await read(renewal.rows)).toMatchObject({ status: 'past_due', grace_ends_at: graceEnd })
  })

  test('is retried after any decline if the method has since been replaced', async () => {
    const replaced = await makeRenewal({ subscription: { method_chosen_at: after(1) } })
    await fail(replaced, 'card_lost', after(2))
    expect(await read(replaced.rows)).toMatchObject({ next_charge_at: after(day) })
    const current = await makeRenewal({ subscription: { method_chosen_at: periodEnd } })
    await fail(current, 'card_lost', after(2))
    expect(await read(current.rows)).toMatchObject({ next_charge_at: null })
  })

  test('starts its grace at the given time if there was no attempt', async () => {
    const { rows, order } = await makeRenewal()
    const late = after(1, graceEnd)
    await inTransaction(async (tx) => {
      const row = await findRenewal(tx, order)
      if (row) await becomePastDue(context, tx, { row, order, triedAt: late, now: late }, 'card_lost')
    })
    expect(await read(rows)).toMatchObject({ grace_ends_at: after(3 * day, late), next_charge_at: null })
  })
})
