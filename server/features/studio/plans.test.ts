import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { BodyOf } from '#contract/endpoint.ts'
import { listPlans as listOffered } from '#contract/billing.ts'
import {
  addPlan,
  changePlan,
  listPlanSubscribers,
  listStudioPlans,
  archivePlan,
  type StudioPlan,
} from '#contract/studio/plans.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { notifyPriceChange } from '#server/features/billing/subscriptions/notify-price-change.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'

const day = 86_400_000
let site: BillingSite
let owner: TestOperator

beforeAll(async () => {
  site = await startBillingSite()
})
beforeEach(async () => {
  // Signs in before each test, because the tests move the clock and a session of the studio would expire.
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())

const plans = async () => (await owner.studio.callOk(listStudioPlans)).list
const planOf = async (days: number): Promise<StudioPlan> => {
  const found = (await plans()).find((plan) => plan.period_days === days && plan.archived_at === null)
  if (!found) throw new Error(`no plan of ${days} days is on sale`)
  return found
}
/** Returns the offered plans. Moves the clock first, because a response is cached for a second. */
const offered = async () => {
  site.advanceClock(2000)
  return (await site.visitor().callOk(listOffered)).list
}
const change = (body: BodyOf<typeof changePlan>) => owner.studio.callOk(changePlan, { body })

const added = {
  names: { en: 'Quarter', dy: 'Quartal', es: '' },
  descriptions: { en: 'Ninety days.' },
  price_cents: 3999,
  currency: 'USD' as const,
  period_days: 90,
  position: 9,
}

it('a new plan is on sale at once at its position, and languages without a translation show its English name', async () => {
  const plan = await owner.studio.callOk(addPlan, { body: added })
  const list = await offered()
  expect(list.at(-1)).toMatchObject({ id: plan.id, name: 'Quarter', price_cents: 3999, period_days: 90 })
  const spanish = await site.visitor({ 'accept-language': 'es' }).callOk(listOffered)
  expect(spanish.list.at(-1)?.name).toBe('Quarter')
  const { list: auditLog } = await owner.studio.callOk(listAuditEvents, { query: { subject: plan.id } })
  expect(auditLog).toEqual([
    expect.objectContaining({ event: 'studio plan add', operator: owner.email, details: { after: plan } }),
  ])
})

describe('a price change', () => {
  it('applies only to new buyers, and existing subscribers keep their price and get no notice', async () => {
    const subscriber = await Subscriber.create(site, { days: 30 })
    const before = await planOf(30)
    const plan = await change({ id: before.id, price_cents: 2999 })
    expect(plan).toMatchObject({ price_cents: 2999, names: before.names, position: before.position })
    expect((await offered()).filter(({ period_days }) => period_days === 30)).toEqual([
      expect.objectContaining({ id: plan.id, price_cents: 2999 }),
    ])
    await notifyPriceChange(site.context)
    await subscriber.advanceAndRenew(30 * day + 60_000)
    await subscriber.advanceAndRenew(30 * day + 60_000)
    expect(await subscriber.paymentAmounts('succeeded')).toEqual([2499, 2499, 2499])
    expect((await subscriber.mailSubjects()).filter((subject) => !subject.startsWith('Receipt'))).toEqual([])
    const later = await Subscriber.create(site, { days: 30 })
    expect(await later.paymentAmounts('succeeded')).toEqual([2999])
  })

  it('does not change an order that was created before', async () => {
    const shopper = await Shopper.create(site)
    const { id } = await planOf(30)
    const order = await shopper.order({ kind: 'plan', plan_id: id })
    await change({ id, price_cents: 3499 })
    const paid = await shopper.tryPay(order.id, await shopper.cardToken())
    expect(paid.info).toMatchObject({ status: 'paid', amount_cents: order.amount_cents })
  })

  it('is refused if a concurrent request has already changed the price', async () => {
    const { id } = await planOf(30)
    const answers = await Promise.all(
      [2599, 2699, 2799, 2899, 3099, 3199].map((price_cents) =>
        owner.studio.call(changePlan, { body: { id, price_cents } }),
      ),
    )
    expect(answers.map(({ answer }) => answer.code).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
    expect((await offered()).filter(({ period_days }) => period_days === 30)).toHaveLength(1)
  })
})

describe('an introductory price', () => {
  it('can be added to and removed from a plan without subscribers', async () => {
    const { id } = await planOf(365)
    const plan = await change({ id, intro_price_cents: 9999 })
    expect(plan).toMatchObject({ id, intro_price_cents: 9999, price_cents: 14_999 })
    const subscriber = await Subscriber.create(site, { days: 365 })
    expect(await subscriber.paymentAmounts('succeeded')).toEqual([9999])
    expect(await change({ id, intro_price_cents: null })).toMatchObject({ id, intro_price_cents: null })
  })

  it('must be lower than the price', async () => {
    const { id } = await planOf(365)
    const { answer } = await owner.studio.call(changePlan, { body: { id, intro_price_cents: 14_999 } })
    expect(answer).toMatchObject({
      code: 500,
      message: 'The introductory price must be lower than the regular price.',
      info: { field: 'intro_price_cents' },
    })
  })
})

it('fields that a change does not accept are ignored', async () => {
  const before = await planOf(365)
  const more = { currency: 'EUR', archived_at: '2026-01-01T00:00:00Z', fbclid: 'click' }
  const after = await change({ id: before.id, highlight: true, ...more })
  expect(after).toEqual({ ...before, highlight: true })
})

describe('the highlight', () => {
  const highlighted = async () =>
    (await plans()).filter((plan) => plan.highlight && plan.archived_at === null).map(({ id }) => id)

  it('moves from one plan to another, and remains with a plan whose price changes', async () => {
    const [{ id: month }, { id: year }] = [await planOf(30), await planOf(365)]
    await change({ id: month, highlight: true })
    await change({ id: year, highlight: true })
    expect(await highlighted()).toEqual([year])
    const [auditEvent] = (await owner.studio.callOk(listAuditEvents, { query: { subject: year } })).list
    expect(auditEvent?.details).toMatchObject({ after: { took_highlight_from: [month] } })
    const priceIncrease = await change({ id: year, price_cents: 15_999 })
    expect(await highlighted()).toEqual([priceIncrease.id])
    const plan = await owner.studio.callOk(addPlan, { body: { ...added, period_days: 91, highlight: true } })
    expect(await highlighted()).toEqual([plan.id])
    await change({ id: plan.id, names: { en: 'Another quarter' } })
    expect(await highlighted()).toEqual([plan.id])
  })

  it('belongs to one plan if several operators set it concurrently', async () => {
    const ids = [(await planOf(30)).id, (await planOf(365)).id, (await planOf(91)).id]
    for (const id of await highlighted()) await change({ id, highlight: false })
    await Promise.all(ids.map((id) => change({ id, highlight: true })))
    expect(await highlighted()).toHaveLength(1)
  })
})

it('a plan with a price that no gateway accepts is refused', async () => {
  site.gatewayOverrides.acceptsAmount = () => false
  const { answer } = await owner.studio.call(addPlan, { body: added })
  delete site.gatewayOverrides.acceptsAmount
  expect(answer).toMatchObject({ code: 500, info: { field: 'price_cents' } })
})

it('an archived plan is not offered, but continues for its subscribers', async () => {
  const subscriber = await Subscriber.create(site)
  const { id } = await planOf(7)
  expect(await change({ id, position: 1 })).toMatchObject({ subscribers: 1 })
  const [auditEvent] = (await owner.studio.callOk(listAuditEvents, { query: { subject: id } })).list
  expect(auditEvent?.details).toMatchObject({ before: { subscribers: 1 }, after: { subscribers: 1 } })
  expect(await owner.studio.callOk(archivePlan, { body: { id } })).toMatchObject({ id, subscribers: 1 })
  expect((await offered()).map((plan) => plan.id)).not.toContain(id)
  const shopper = await Shopper.create(site)
  expect((await shopper.tryOrder({ kind: 'plan', plan_id: id })).code).toBe(404)
  await subscriber.advanceAndRenew(7 * day + 60_000)
  expect(await subscriber.paymentAmounts('succeeded')).toEqual([499, 999])
  owner = await signInOperator(site, 'owner')
  expect((await owner.studio.call(archivePlan, { body: { id } })).answer.code).toBe(409)
  const support = await signInOperator(site, 'support')
  const row = (await support.studio.callOk(listStudioPlans)).list.find((plan) => plan.id === id)
  expect(row).toMatchObject({ subscribers: 1, archived_at: expect.any(String) })
  const { list } = await support.studio.callOk(listPlanSubscribers, { query: { id } })
  expect(list).toEqual([
    expect.objectContaining({
      user_id: subscriber.userId,
      subscription_id: subscriber.subscriptionId,
      status: 'active',
      price_cents: 999,
    }),
  ])
})

it('an analyst sees the number of a plan’s subscribers, but not their identity', async () => {
  const { visitor, email } = await createMember(site)
  const shopper = await Shopper.create(site, visitor)
  const { id } = await planOf(30)
  await shopper.buy({ kind: 'plan', plan_id: id })
  const [analyst, support] = [await signInOperator(site, 'analyst'), await signInOperator(site, 'support')]
  const seenBy = async ({ studio }: TestOperator) =>
    (await studio.callOk(listPlanSubscribers, { query: { id } })).list.map((each) => each.email)
  expect(await seenBy(support)).toContain(email)
  expect(await seenBy(analyst)).not.toContain(email)
})

it('a subscribed guest is listed with the address of the purchase, but not for an analyst', async () => {
  const guest = await Shopper.create(site)
  const { id } = await planOf(30)
  await guest.buy({ kind: 'plan', plan_id: id })
  const seenBy = async (role: 'support' | 'analyst') =>
    (await (await signInOperator(site, role)).studio.callOk(listPlanSubscribers, { query: { id } })).list[0]
  expect(await seenBy('support')).toMatchObject({ email: null, order_email: guest.email })
  expect(await seenBy('analyst')).toMatchObject({ email: null, order_email: null })
})
