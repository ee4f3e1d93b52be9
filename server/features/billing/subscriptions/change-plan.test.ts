import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, getOrders, resumeSubscription, type Order } from '#contract/billing.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

const idOf = async (person: Subscriber, days: number) => (await person.shopper.plan(days)).id
async function choose(person: Subscriber, days: number) {
  return person.shopper.tryOrder({ kind: 'plan', plan_id: await idOf(person, days) })
}
const charged = (person: Subscriber) => person.paymentAmounts('succeeded')

test('a planned change of plan is charged at the price of the new plan when the next period starts, not before', async () => {
  const person = await Subscriber.create(site)
  const { period_ends_at } = await person.subscriptionRow()
  expect(await choose(person, 30)).toMatchObject({
    code: 200,
    info: { status: 'pending', amount_cents: 2499, next: { type: 'none' } },
  })
  expect(await person.membership()).toMatchObject({
    plan: { period_days: 7 },
    next_plan: { name: 'Monthly', price_cents: 2499, period_days: 30 },
  })
  await person.advanceAndRenew(6 * day)
  expect(await charged(person)).toEqual([499])
  await person.advanceAndRenew(2 * day)
  expect(await charged(person)).toEqual([499, 2499])
  expect(await person.subscriptionRow()).toMatchObject({ period_no: 1, period_starts_at: period_ends_at })
  const membership = await person.membership()
  expect(membership).toMatchObject({ plan: { period_days: 30 } })
  expect(membership.next_plan).toBeUndefined()
  await person.advanceAndRenew(30 * day)
  expect(await charged(person)).toEqual([499, 2499, 2499])
})

test('a change of plan can be undone, or replaced, before it starts', async () => {
  const person = await Subscriber.create(site)
  await choose(person, 30)
  await choose(person, 365)
  expect(await person.membership()).toMatchObject({ next_plan: { period_days: 365 } })
  expect(await choose(person, 7)).toMatchObject({ code: 200, info: { status: 'cancelled' } })
  expect((await person.membership()).next_plan).toBeUndefined()
  expect(await choose(person, 7)).toMatchObject({ code: 409, message: /already subscribed/ })
  await person.advanceAndRenew(8 * day)
  expect(await charged(person)).toEqual([499, 999])
})

test('a planned change of plan shows its start while it is pending and the subscription is not cancelled', async () => {
  const person = await Subscriber.create(site)
  const { period_ends_at } = await person.subscriptionRow()
  const id = (await choose(person, 30)).info?.id ?? ''
  const { visitor } = person.shopper
  const listed = async (): Promise<Order | undefined> => {
    const orders = await visitor.callOk(getOrders)
    return 'list' in orders ? orders.list.find((order) => order.id === id) : undefined
  }
  const starts_at = period_ends_at?.toISOString()
  expect(await listed()).toMatchObject({ status: 'pending', starts_at })
  expect(await person.shopper.getOrder(id)).toMatchObject({ status: 'pending', starts_at })
  await visitor.callOk(cancelSubscription)
  expect(await listed()).toMatchObject({ status: 'pending', starts_at: null })
  await visitor.callOk(resumeSubscription)
  expect(await listed()).toMatchObject({ starts_at })
  await person.advanceAndRenew(8 * day)
  expect(await listed()).toMatchObject({ status: 'paid' })
  expect(await listed()).not.toHaveProperty('starts_at')
})

test('a planned change of plan cannot be paid manually', async () => {
  const person = await Subscriber.create(site)
  const order = (await choose(person, 30)).info
  expect(await person.shopper.tryPay(order?.id ?? '', await person.shopper.cardToken())).toMatchObject({
    code: 409,
  })
  expect(await charged(person)).toEqual([499])
})

test('choosing another plan resumes a cancelled subscription, but a cancellation afterwards prevents the change', async () => {
  const goesOn = await Subscriber.create(site)
  const leaves = await Subscriber.create(site)
  await goesOn.shopper.visitor.callOk(cancelSubscription)
  await choose(goesOn, 30)
  await choose(leaves, 30)
  await leaves.shopper.visitor.callOk(cancelSubscription)
  await goesOn.advanceAndRenew(8 * day)
  expect(await charged(goesOn)).toEqual([499, 2499])
  expect(await charged(leaves)).toEqual([499])
  expect((await leaves.orders()).map(({ status }) => status)).toEqual(['paid', 'cancelled'])
})

test('concurrent requests for the same change create one pending order', async () => {
  const person = await Subscriber.create(site)
  await Promise.all(Array.from({ length: 10 }, () => choose(person, 30)))
  const orders = await person.orders()
  expect(orders.filter(({ status }) => status === 'pending')).toHaveLength(1)
  await person.advanceAndRenew(8 * day)
  expect(await charged(person)).toEqual([499, 2499])
})

test('a wallet can pay the open period, and then pays the renewals', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day)
  const order = await person.shopper.order({
    kind: 'plan',
    plan_id: (await person.shopper.plan(7)).id,
    method: 'wallet',
  })
  expect(order).toMatchObject({ amount_cents: 999, next: { type: 'redirect' } })
  await person.shopper.answerBankPage(order.next.url ?? '', 'yes')
  expect(await person.shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  await person.advanceAndRenew(8 * day)
  expect(await charged(person)).toEqual([499, 999, 999])
})

test('a change of plan that could not be charged is owed, and payable manually, at the price of the new plan', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await choose(person, 30)
  expect((await person.membership()).owed).toBeUndefined()
  await person.advanceAndRenew(7 * day)
  expect(await person.membership()).toMatchObject({
    status: 'past_due',
    plan: { period_days: 7 },
    owed: { name: 'Monthly', price_cents: 2499, currency: 'USD', period_days: 30 },
  })
  const { owed } = await person.membership()
  const orderParams = { kind: 'plan', plan_id: owed?.id ?? '' } as const
  expect(await person.shopper.tryOrder({ ...orderParams, amount_cents: 999 })).toMatchObject({
    code: 409,
    info: { amount_cents: 2499 },
  })
  expect(await person.shopper.buy({ ...orderParams, amount_cents: 2499 })).toMatchObject({
    info: { status: 'paid' },
  })
  const membership = await person.membership()
  expect(membership).toMatchObject({ status: 'active', plan: { period_days: 30 } })
  expect(membership.owed).toBeUndefined()
})

test('an existing subscriber changes plans without an e-mail address, but a new subscriber must give one', async () => {
  const person = await Subscriber.create(site, { email: 'monthly@example.com' })
  expect(
    await person.shopper.tryOrder({ kind: 'plan', plan_id: await idOf(person, 30), email: undefined }),
  ).toMatchObject({ code: 200, info: { status: 'pending' } })
  await person.advanceAndRenew(8 * day)
  expect((await person.orders()).map(({ email }) => email)).toEqual([
    'monthly@example.com',
    'monthly@example.com',
  ])
  const stranger = await Shopper.create(site)
  const { id } = await stranger.plan(7)
  expect(await stranger.tryOrder({ kind: 'plan', plan_id: id, email: undefined })).toMatchObject({
    message: expect.stringMatching(/e-mail/),
  })
})

test('an archived plan can be kept and paid manually by its subscribers, but not ordered by others', async () => {
  const pays = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await pays.advanceAndRenew(7 * day)
  const stays = await Subscriber.create(site)
  const weekly = await idOf(stays, 7)
  await choose(stays, 30)
  const archive = (archived_at: Date | null) =>
    site.context.db.updateTable('plans').set({ archived_at }).where('id', '=', weekly).execute()
  await archive(new Date(0))
  try {
    const orderParams = { kind: 'plan', plan_id: weekly } as const
    expect(await pays.shopper.buy(orderParams)).toMatchObject({ info: { status: 'paid', amount_cents: 999 } })
    expect(await stays.shopper.tryOrder(orderParams)).toMatchObject({
      code: 200,
      info: { status: 'cancelled' },
    })
    expect(await (await Shopper.create(site)).tryOrder(orderParams)).toMatchObject({ code: 404 })
  } finally {
    await archive(null)
  }
})

test('a planned change of plan is charged after an outage of months', async () => {
  const person = await Subscriber.create(site)
  await choose(person, 30)
  site.advanceClock(60 * day)
  await runJanitor(site.context)
  await person.advanceAndRenew(0)
  expect(await charged(person)).toEqual([499, 2499])
  expect(await person.membership()).toMatchObject({ status: 'active', plan: { period_days: 30 } })
})
