import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import {
  startBillingSite,
  expectLedgerBalanced,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { takeBackup } from '#server/testing/database/take-backup.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { applyWebhookEvent } from '#server/features/billing/webhooks/receive-webhook.ts'
import { settleAttempt } from '#server/features/billing/payments/settle-attempt.ts'
import { comparePayments } from './compare-payments.ts'
import { restoreOrder } from './restore-order.ts'
import { listAllPayments } from '#server/features/billing/gateways/contract-tests/list-all-payments.ts'

const [hour, day] = [3_600_000, 86_400_000]
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
// All tests pay with the same card. Without this deletion, only the first test would get the introductory price.
beforeEach(async () => void (await site.context.db.deleteFrom('used_intro_prices').execute()))
afterEach(async () => {
  // Each restore also loses the renewals of the other tests' subscribers, so all payments are restored.
  await findAllPayments()
  await expectLedgerBalanced(site)
})

const backUp = () => takeBackup(site.context.db)

/** Compares all payments with the database. The reconciliation would list only the latest ones. */
async function findAllPayments(): Promise<void> {
  for (const gateway of site.context.gateways)
    await comparePayments(site.context, gateway, await listAllPayments(gateway))
}

/** Returns a user's orders, sorted by period. Orders without a period are last. */
const ordersOf = (userId: string) =>
  site.context.db
    .selectFrom('orders')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('period_no')
    .orderBy('created_at')
    .execute()

const statesOf = async (userId: string) =>
  (await ordersOf(userId)).map(({ period_no, amount_cents, status }) => [period_no, amount_cents, status])

/** Returns the references of a user's payments, sorted by period. */
async function referencesOf(userId: string): Promise<string[]> {
  const rows = await site.context.db
    .selectFrom('payment_attempts')
    .innerJoin('orders', 'orders.id', 'order_id')
    .select('reference')
    .where('user_id', '=', userId)
    .where('payment_attempts.status', '=', 'succeeded')
    .orderBy('period_no')
    .execute()
  return rows.map(({ reference }) => reference ?? '')
}

const findPayment = (reference = '') =>
  applyWebhookEvent(site.context, { gateway: 'sandbox', event_id: `evt_${reference}`, reference })

/** Returns the amounts of a subscriber's payments that were not refunded, in ascending order. */
const paidCents = async (person: Subscriber) =>
  (await person.payments('succeeded'))
    .map(({ amountCents, refundedCents }) => amountCents - refundedCents)
    .filter((cents) => cents > 0)
    .toSorted((a, b) => a - b)

/** Runs the jobs for long enough to settle a renewal whose key belongs to a lost payment. */
async function runJobs(): Promise<void> {
  for (const wait of [0, hour, 7 * hour, hour]) {
    site.advanceClock(wait)
    await runJanitor(site.context)
    await renewDueSubscriptions(site.context)
  }
}

/** Returns the audit events of a subscriber's changes of plan, each with the id of the plan. */
async function planChangesOf({ userId }: Subscriber) {
  const { rows } = await sql<{ event: string; details: { plan_id: string } }>`
    SELECT event, details FROM audit_events
    WHERE user_id = ${userId} AND event LIKE 'plan_change_%' ORDER BY id`.execute(site.context.db)
  return rows.map(({ event, details }) => [event, details.plan_id])
}

async function chooseMonthly({ shopper }: Subscriber): Promise<string> {
  return (await shopper.order({ kind: 'plan', plan_id: (await shopper.plan(30)).id })).id
}

test('a lost renewal cancels a change of plan that was made after the restore, and the audit log records the cancellation', async () => {
  const person = await Subscriber.create(site)
  const restore = await backUp()
  await person.advanceAndRenew(7 * day)
  await restore()
  await chooseMonthly(person)
  await renewDueSubscriptions(site.context)
  expect((await statesOf(person.userId)).at(-1)).toEqual([1, 2499, 'pending'])
  await findAllPayments()
  await runJobs()
  expect(await statesOf(person.userId)).toEqual([
    [0, 499, 'paid'],
    [1, 999, 'paid'],
    [null, 2499, 'cancelled'],
  ])
  expect(await paidCents(person)).toEqual([499, 999])
  expect(await planChangesOf(person)).toEqual([
    ['plan_change_scheduled', (await person.shopper.plan(30)).id],
    ['plan_change_cancelled', (await person.shopper.plan(7)).id],
  ])
})

test('a lost manual payment does not undo a cancellation that the customer made after the restore', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day)
  expect(await person.membership()).toMatchObject({ status: 'past_due' })
  const restore = await backUp()
  const plan_id = (await person.shopper.plan(7)).id
  expect((await person.shopper.buy({ kind: 'plan', plan_id })).info?.status).toBe('paid')
  await restore()
  await person.shopper.visitor.callOk(cancelSubscription)
  await findAllPayments()
  expect(await statesOf(person.userId)).toEqual([
    [0, 499, 'paid'],
    [1, 999, 'paid'],
  ])
  expect(await person.membership()).toMatchObject({
    status: 'active',
    cancel_at_period_end: true,
    renews_at: null,
  })
  await person.advanceAndRenew(8 * day)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 1 })
  expect(await paidCents(person)).toEqual([499, 999])
})

test('a new checkout payment undoes a cancellation, even if the order’s lost payment has failed', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day)
  const restore = await backUp()
  const plan_id = (await person.shopper.plan(7)).id
  const order = (await person.shopper.buy({ kind: 'plan', plan_id })).info
  const lost = (await person.payments('succeeded')).find(({ orderId }) => orderId === order?.id)
  if (!order || !lost) throw new Error('the period was not paid')
  await restore()
  await person.shopper.visitor.callOk(cancelSubscription)
  const attempt = await restoreOrder(site.context, site.sandboxGateway, lost)
  if (!attempt) throw new Error('the payment was not restored')
  await settleAttempt(site.context, attempt, { ...lost, status: 'failed' })
  site.advanceClock(1000)
  const paid = await person.shopper.tryPay(order.id, await person.shopper.cardToken())
  expect(paid).toMatchObject({ code: 200, info: { status: 'paid' } })
  expect(await person.membership()).toMatchObject({ status: 'active', cancel_at_period_end: false })
})

describe('a lost payment for a planned change of plan', () => {
  const expectChanged = async (person: Subscriber) => {
    expect(await paidCents(person)).toEqual([499, 2499])
    expect(await person.membership()).toMatchObject({ status: 'active', plan: { period_days: 30 } })
    expect(await person.membership()).not.toHaveProperty('next_plan')
    expect(await person.subscriptionRow()).toMatchObject({ period_no: 1, cancel_at_period_end: false })
    await person.advanceAndRenew(30 * day)
    expect(await paidCents(person)).toEqual([499, 2499, 2499])
  }

  test('changes the plan if the backup has the planned order', async () => {
    const person = await Subscriber.create(site)
    const planned = await chooseMonthly(person)
    const restore = await backUp()
    await person.advanceAndRenew(7 * day)
    await restore()
    await findAllPayments()
    expect(await person.shopper.getOrder(planned)).toMatchObject({ status: 'paid' })
    await expectChanged(person)
  })

  test('changes the plan if the backup has the planned order, even if the payment of a later period is found first', async () => {
    const person = await Subscriber.create(site)
    await chooseMonthly(person)
    const restore = await backUp()
    await person.advanceAndRenew(7 * day)
    await person.advanceAndRenew(30 * day)
    const [, first, second] = await referencesOf(person.userId)
    await restore()
    await findPayment(second)
    await findPayment(first)
    expect(await statesOf(person.userId)).toEqual([
      [0, 499, 'paid'],
      [1, 2499, 'paid'],
      [2, 2499, 'paid'],
    ])
    expect(await paidCents(person)).toEqual([499, 2499, 2499])
    expect(await person.membership()).not.toHaveProperty('next_plan')
  })

  test('changes the plan even if a renewal at the old price has started since', async () => {
    const person = await Subscriber.create(site)
    const restore = await backUp()
    await chooseMonthly(person)
    await person.advanceAndRenew(7 * day)
    await restore()
    await renewDueSubscriptions(site.context)
    expect((await statesOf(person.userId)).at(-1)).toEqual([1, 999, 'pending'])
    await findAllPayments()
    await runJobs()
    expect(await statesOf(person.userId)).toEqual([
      [0, 499, 'paid'],
      [1, 2499, 'paid'],
      [null, 999, 'cancelled'],
    ])
    // The customer's choice was lost, so no event records the cancellation of the old plan's order.
    expect(await planChangesOf(person)).toEqual([])
    await expectChanged(person)
  })

  test('is refunded if the period has since been renewed at the old price, and a later change remains', async () => {
    const person = await Subscriber.create(site)
    const restore = await backUp()
    const lost = await chooseMonthly(person)
    await person.advanceAndRenew(7 * day)
    await restore()
    await renewDueSubscriptions(site.context)
    await runJobs()
    await person.shopper.order({ kind: 'plan', plan_id: (await person.shopper.plan(365)).id })
    await findAllPayments()
    const orders = await ordersOf(person.userId)
    expect(orders.find(({ id }) => id === lost)).toMatchObject({
      period_no: null,
      amount_cents: 2499,
      status: 'cancelled',
      auto_refund_reason: 'already_owned',
    })
    expect(orders.slice(0, 2)).toMatchObject([
      { period_no: 0, amount_cents: 499, status: 'paid' },
      { period_no: 1, amount_cents: 999, status: 'paid' },
    ])
    expect(await paidCents(person)).toEqual([499, 999])
    expect(await person.membership()).toMatchObject({
      plan: { period_days: 7 },
      next_plan: { period_days: 365 },
    })
  })

  test('is refunded if the subscription has since been renewed at the old price and has ended', async () => {
    const person = await Subscriber.create(site)
    const restore = await backUp()
    const lost = await chooseMonthly(person)
    await person.advanceAndRenew(7 * day)
    await restore()
    await renewDueSubscriptions(site.context)
    await runJobs()
    await person.shopper.visitor.callOk(cancelSubscription)
    await person.advanceAndRenew(8 * day)
    expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 1 })
    await findAllPayments()
    expect(await paidCents(person)).toEqual([499, 999])
    expect(await person.shopper.getOrder(lost)).toMatchObject({ status: 'cancelled' })
    expect(await person.membership()).toMatchObject({ state: 'free' })
  })
})

describe('a subscription that ended or expired because its payments were lost', () => {
  /** Ends a subscription whose next periods are lost. @returns the references of its payments, indexed by period */
  async function endWithoutPayments(person: Subscriber, periods: number): Promise<string[]> {
    const { visitor } = person.shopper
    await visitor.callOk(cancelSubscription)
    const restore = await backUp()
    await visitor.callOk(resumeSubscription)
    for (let period = 1; period <= periods; period++) await person.advanceAndRenew(7 * day)
    const references = await referencesOf(person.userId)
    expect(references).toHaveLength(periods + 1)
    await restore()
    await renewDueSubscriptions(site.context)
    expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 0 })
    return references
  }

  async function expectAllRestored(person: Subscriber): Promise<void> {
    const orders = await ordersOf(person.userId)
    expect(orders.map((one) => [one.period_no, one.amount_cents, one.status])).toEqual([
      [0, 499, 'paid'],
      [1, 999, 'paid'],
      [2, 999, 'paid'],
      [3, 999, 'paid'],
    ])
    expect(new Set(orders.map((one) => one.subscription_id))).toEqual(new Set([person.subscriptionId]))
    expect(await paidCents(person)).toEqual([499, 999, 999, 999])
    const granted = await site.context.db
      .selectFrom('entitlements')
      .innerJoin('orders', 'orders.id', 'order_id')
      .select(['starts_at', 'ends_at', 'revoked_at'])
      .where('orders.user_id', '=', person.userId)
      .orderBy('period_no')
      .execute()
    expect(granted).toHaveLength(4)
    for (const { starts_at, ends_at, revoked_at } of granted.slice(1)) {
      expect(revoked_at).toBeNull()
      expect((ends_at?.getTime() ?? 0) - starts_at.getTime()).toBe(7 * day)
    }
  }

  test.each([[[1, 2, 3]], [[3, 2, 1]], [[2, 3, 1]]])(
    'gets back all periods if their payments are found in the sequence %j, but does not renew',
    async (found) => {
      const person = await Subscriber.create(site)
      const references = await endWithoutPayments(person, 3)
      for (const period of found) await findPayment(references[period])
      await findAllPayments()
      await expectAllRestored(person)
      expect(await person.subscriptionRow()).toMatchObject({ period_no: 3, ended_at: null })
      expect(await person.membership()).toMatchObject({
        status: 'active',
        cancel_at_period_end: true,
        renews_at: null,
      })
      expect(await person.canPlay()).toBe(true)
      await person.advanceAndRenew(21 * day)
      expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 3 })
      expect(await person.canPlay()).toBe(false)
      await expectAllRestored(person)
    },
  )

  test('gets back earlier periods whose payments are found after it has ended again', async () => {
    const person = await Subscriber.create(site)
    const references = await endWithoutPayments(person, 3)
    await findPayment(references[3])
    await person.advanceAndRenew(8 * day)
    expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 3 })
    await findAllPayments()
    await expectAllRestored(person)
    expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 3 })
    expect(await person.canPlay()).toBe(false)
  })

  test.each([[[0, 1, 2]], [[2, 0, 1]]])(
    'gets back all periods if it expired unpaid and the payments are found in the sequence %j',
    async (found) => {
      const shopper = await Shopper.create(site)
      const order = await shopper.order({ kind: 'plan', plan_id: (await shopper.plan(7)).id })
      const restore = await backUp()
      await shopper.tryPay(order.id, await shopper.cardToken())
      for (const _ of [1, 2]) {
        site.advanceClock(7 * day)
        await renewDueSubscriptions(site.context)
      }
      const { user_id, subscription_id } = await site.context.db
        .selectFrom('orders')
        .selectAll()
        .where('id', '=', order.id)
        .executeTakeFirstOrThrow()
      const references = await referencesOf(user_id)
      expect(references).toHaveLength(3)
      await restore()
      await runJanitor(site.context)
      const subscription = () =>
        site.context.db
          .selectFrom('subscriptions')
          .selectAll()
          .where('id', '=', subscription_id)
          .executeTakeFirstOrThrow()
      expect(await subscription()).toMatchObject({ status: 'expired' })
      for (const period of found) await findPayment(references[period])
      expect(await statesOf(user_id)).toEqual([
        [0, 499, 'paid'],
        [1, 999, 'paid'],
        [2, 999, 'paid'],
      ])
      expect(await subscription()).toMatchObject({
        status: 'active',
        period_no: 2,
        cancel_at_period_end: false,
      })
      expect((await subscription()).payment_method_id).not.toBeNull()
    },
  )
})
