import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { cancelSubscription, createOrder, getOrders, resumeSubscription } from '#contract/billing.ts'
import {
  expectLedgerBalanced,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { activeUntil } from './active-subscription.ts'
import { handleDetachedMethod } from '#server/features/billing/payment-methods/handle-detached-method.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'

const [hour, day] = [3_600_000, 86_400_000]
let site: BillingSite
/** The ids of the plans, by the length of their periods in days. */
let planIds: Map<number, string>

beforeAll(async () => {
  site = await startBillingSite()
  const plans = await site.context.db.selectFrom('plans').select(['id', 'period_days']).execute()
  planIds = new Map(plans.map(({ id, period_days }) => [period_days, id]))
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

/** Keeps payments pending, like a gateway that needs days to process them. An example is a PayPal eCheck. */
function keepPending() {
  site.gatewayOverrides.chargeSavedMethod = async (charge) => ({
    ...(await site.sandboxGateway.chargeSavedMethod(charge)),
    status: 'processing',
  })
  site.gatewayOverrides.retrievePayment = async (lookup) => {
    const payment = await site.sandboxGateway.retrievePayment(lookup)
    return payment?.attemptId.startsWith('att_') ? { ...payment, status: 'processing' } : payment
  }
}

function endOverrides() {
  delete site.gatewayOverrides.acceptsAmount
  delete site.gatewayOverrides.chargeSavedMethod
  delete site.gatewayOverrides.retrievePayment
}

/** Completes the payments, and notifies the site. */
async function completePayments() {
  endOverrides()
  await reconcile(site.context)
}

const orderPlan = async (person: Subscriber, days = 7) => {
  const plan_id = planIds.get(days)
  const body = { kind: 'plan', plan_id, gateway: 'sandbox', email: person.shopper.email } as const
  return (await person.shopper.visitor.call(createOrder, { body })).answer
}

/**
 * Checks two invariants. A user can play episodes if and only if the membership says so. A user without a paid plan can
 * pay for one.
 */
async function expectConsistent(person: Subscriber, days = 7): Promise<void> {
  const { state, status } = await person.membership()
  expect(await person.canPlay()).toBe(state === 'subscribed')
  if (state === 'subscribed' && status === 'active') return
  const answer = await orderPlan(person, days)
  expect(answer).toMatchObject({ code: 200, info: { status: 'pending', next: { type: 'card_form' } } })
}

describe('a renewal that its gateway processes for days', () => {
  test('is past due after the period, sends a mail, can be paid with another method, and ends after the grace', async () => {
    const person = await Subscriber.create(site)
    keepPending()
    await person.advanceAndRenew(7 * day)
    expect(await person.membership()).toMatchObject({ state: 'subscribed', status: 'past_due' })
    expect(await person.mailSubjects()).toEqual(['Your payment is still being processed'])
    await expectConsistent(person)
    await person.advanceAndRenew(3 * day)
    expect((await person.subscriptionRow()).status).toBe('ended')
    expect((await person.mailSubjects()).at(-1)).toBe('Your plan has ended')
    const mail = (await site.mails(person.shopper.email)).at(-1)?.text
    expect(mail).toMatch(/payment of \$9.99 for your plan “Weekly” is still being processed/)
    expect(mail).not.toMatch(/won’t be charged/)
    const [renewal] = (await person.orders()).filter(({ period_no }) => period_no === 1)
    const renewalOrder = await person.shopper.getOrder(renewal?.id ?? '')
    expect(renewalOrder).toMatchObject({ status: 'failed', processing: true })
    expect(await person.shopper.visitor.callOk(getOrders)).toMatchObject({
      list: expect.arrayContaining([renewalOrder]),
    })
    await expectConsistent(person)
    await completePayments()
    expect(await person.shopper.getOrder(renewalOrder.id)).not.toHaveProperty('processing')
  })

  test('buys a period if the payment succeeds after the plan has ended', async () => {
    const person = await Subscriber.create(site)
    keepPending()
    await person.advanceAndRenew(7 * day)
    await person.advanceAndRenew(4 * day)
    await completePayments()
    expect(await person.membership()).toMatchObject({ state: 'subscribed', renews_at: null })
    expect(await person.canPlay()).toBe(true)
  })

  test('is refunded with a mail if the subscriber has paid with another method in the meantime', async () => {
    const person = await Subscriber.create(site)
    keepPending()
    await person.advanceAndRenew(7 * day)
    const open = await orderPlan(person)
    expect(await person.shopper.tryPay(open.info?.id ?? '', await person.shopper.cardToken())).toMatchObject({
      info: { status: 'paid' },
    })
    await completePayments()
    expect(await person.paymentAmounts('succeeded')).toEqual([499, 999, 999])
    expect((await person.payments('succeeded')).map(({ refundedCents }) => refundedCents).toSorted()).toEqual(
      [0, 0, 999],
    )
    expect((await person.mailSubjects()).some((subject) => subject.startsWith('We’re refunding'))).toBe(true)
  })
})

describe('a renewal at a gateway whose keys were removed', () => {
  const withoutGateway = async (person: Subscriber, milliseconds: number) => {
    site.advanceClock(milliseconds)
    await renewDueSubscriptions({ ...site.context, gateways: [] })
    return person.subscriptionRow()
  }

  test('is past due after the period, sends a mail, and ends after the grace', async () => {
    const person = await Subscriber.create(site)
    expect(await withoutGateway(person, 7 * day)).toMatchObject({ status: 'past_due' })
    expect(await person.mailSubjects()).toEqual(['We couldn’t renew your plan yet'])
    await expectConsistent(person)
    expect(await withoutGateway(person, 3 * day)).toMatchObject({ status: 'ended' })
    await expectConsistent(person)
    expect(await person.paymentAmounts('succeeded')).toEqual([499])
  })

  test('is charged if the gateway is configured again within the grace period', async () => {
    const person = await Subscriber.create(site)
    await withoutGateway(person, 7 * day)
    await person.advanceAndRenew(hour)
    expect(await person.subscriptionRow()).toMatchObject({ status: 'active', period_no: 1 })
    expect(await person.paymentAmounts('succeeded')).toEqual([499, 999])
  })
})

describe('an unpaid renewal', () => {
  const acceptsAllBut999 = (cents: number) => cents !== 999
  // The list of plans omits plans that no gateway can charge, and is cached for a second. Each test needs a new list.
  beforeEach(() => site.advanceClock(2000))

  test('can be replaced by paying for another plan if no gateway accepts its price', async () => {
    const person = await Subscriber.create(site)
    site.gatewayOverrides.acceptsAmount = acceptsAllBut999
    await person.advanceAndRenew(7 * day)
    expect(await person.membership()).toMatchObject({ status: 'past_due', owed: { gateways: [] } })
    await expectConsistent(person, 30)
    const { owed } = await person.membership()
    expect(owed).toMatchObject({ period_days: 30, gateways: ['sandbox'] })
    const bought = await person.shopper.buy({ kind: 'plan', plan_id: owed?.id })
    expect(bought.info?.status).toBe('paid')
    expect(await person.membership()).toMatchObject({ status: 'active', plan: { period_days: 30 } })
    expect((await person.orders()).map(({ status }) => status).toSorted()).toEqual([
      'cancelled',
      'paid',
      'paid',
    ])
    await person.advanceAndRenew(30 * day)
    expect(await person.subscriptionRow()).toMatchObject({ status: 'active', period_no: 2 })
  })

  test("can be paid at the plan's current price if no gateway accepts the old price", async () => {
    const person = await Subscriber.create(site)
    const { db } = site.context
    const plan_id = planIds.get(7) ?? ''
    site.gatewayOverrides.acceptsAmount = acceptsAllBut999
    await person.advanceAndRenew(7 * day)
    const setPrice = (price_cents: number) =>
      db.updateTable('plans').set({ price_cents }).where('id', '=', plan_id).execute()
    await setPrice(1000)
    const bought = await person.shopper.buy({ kind: 'plan', plan_id })
    await setPrice(999)
    expect(bought.info).toMatchObject({ status: 'paid', amount_cents: 1000 })
    expect(await person.membership()).toMatchObject({ status: 'active', plan: { period_days: 7 } })
  })

  test('remains unchanged if no gateway accepts its price or the price of the requested plan', async () => {
    const person = await Subscriber.create(site)
    site.gatewayOverrides.acceptsAmount = acceptsAllBut999
    await person.advanceAndRenew(7 * day)
    site.gatewayOverrides.acceptsAmount = () => false
    expect(await orderPlan(person, 30)).toMatchObject({ code: 500 })
    delete site.gatewayOverrides.acceptsAmount
    const { owed } = await person.membership()
    expect(owed).toMatchObject({ period_days: 7, gateways: ['sandbox'] })
    await expectConsistent(person)
  })

  test('keeps its price if a gateway accepts it, even if another plan is requested', async () => {
    const person = await Subscriber.create(site)
    site.gatewayOverrides.chargeSavedMethod = () => Promise.reject(new Error('away'))
    await person.advanceAndRenew(7 * day)
    await person.advanceAndRenew(hour)
    expect((await orderPlan(person, 30)).info).toMatchObject({ amount_cents: 999 })
  })
})

test('an expired subscription counts as ended in membership, entitlements and checkout before a job ends it', async () => {
  site.advanceClock(2000)
  const person = await Subscriber.create(site)
  site.advanceClock(20 * day)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  await expectConsistent(person)
  const bought = await person.shopper.buy({ kind: 'plan', plan_id: (await person.shopper.plan(7)).id })
  expect(bought.info?.status).toBe('paid')
  expect((await person.subscriptionRow()).status).toBe('ended')
})

/** The actions of the user or the gateway that may happen between two checks. */
const events = {
  /** Removes the card or wallet at the gateway, which sends an event. */
  async lose(person: Subscriber) {
    const method = await site.context.db
      .selectFrom('subscriptions')
      .innerJoin('payment_methods', 'payment_methods.id', 'payment_method_id')
      .select('reference')
      .where('subscriptions.id', '=', person.subscriptionId)
      .executeTakeFirst()
    if (!method) return
    await site.sandboxGateway.detachMethod(method.reference)
    await handleDetachedMethod(site.context, 'sandbox', method.reference)
  },
  cancel: ({ shopper }: Subscriber) => shopper.visitor.call(cancelSubscription, { body: {} }),
  resume: ({ shopper }: Subscriber) => shopper.visitor.call(resumeSubscription, { body: {} }),
  'change plan': (person: Subscriber) => orderPlan(person, 30),
}

test.each([
  ['gives access until the end of its grace', ['lose', 'cancel', 'resume']],
  ['gives access only until the end of its period if it was cancelled', ['lose', 'cancel']],
] as const)('a subscription whose method was removed %s', async (_, done) => {
  site.advanceClock(2000)
  const person = await Subscriber.create(site)
  for (const action of done) await events[action](person)
  // No job has recorded the end of the period yet.
  site.advanceClock(7 * day + hour)
  const renews = done.length === 3
  expect(await person.membership()).toMatchObject({ state: renews ? 'subscribed' : 'free' })
  expect(await person.canPlay()).toBe(renews)
  await expectConsistent(person)
  await person.advanceAndRenew(hour)
  await expectConsistent(person)
  await person.advanceAndRenew(3 * day)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  await expectConsistent(person)
})

const eventName = fc.constantFrom(...(['lose', 'cancel', 'resume', 'change plan'] as const))
const gatewayState = fc.constantFrom(...(['pays', 'pending', 'away', 'missing', 'refuses'] as const))

interface Step {
  hours: number
  events: readonly (keyof typeof events)[]
  gatewayState: 'pays' | 'pending' | 'away' | 'missing' | 'refuses'
  runsRenewals: boolean
}

test('membership, entitlements and checkout always agree, whatever the gateway and the user do', async () => {
  const step: fc.Arbitrary<Step> = fc.record({
    hours: fc.integer({ min: 1, max: 120 }),
    events: fc.array(eventName, { maxLength: 3 }),
    gatewayState,
    runsRenewals: fc.boolean(),
  })
  const card = fc.constantFrom(testCards.pays, testCards.declinesRenewals)
  const property = fc.asyncProperty(
    card,
    fc.array(step, { minLength: 2, maxLength: 5 }),
    async (number, steps) => {
      site.advanceClock(2000)
      const person = await Subscriber.create(site, { card: number })
      for (const { hours, events: done, gatewayState: now, runsRenewals } of steps) {
        endOverrides()
        for (const one of done) await events[one](person)
        if (now === 'refuses') site.gatewayOverrides.acceptsAmount = (cents) => cents !== 999
        if (now === 'pending') keepPending()
        if (now === 'away') {
          site.gatewayOverrides.chargeSavedMethod = () => Promise.reject(new Error('away'))
          site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('away'))
        }
        site.advanceClock(hours * hour)
        const gateways = now === 'missing' ? [] : site.context.gateways
        if (runsRenewals) await renewDueSubscriptions({ ...site.context, gateways })
        await expectConsistent(person, now === 'refuses' ? 30 : 7)
      }
      await completePayments()
    },
  )
  const quiet = { events: [], gatewayState: 'pays', runsRenewals: true } as const
  const lost = [
    { ...quiet, hours: 100, events: ['lose' as const, 'cancel' as const, 'resume' as const] },
    { ...quiet, hours: 70, runsRenewals: false },
    { ...quiet, hours: 1 },
  ]
  const examples: [string, Step[]][] = [[testCards.pays, lost]]
  await fc.assert(property, { numRuns: 24, seed: 20_261_125, examples })
}, 600_000)

test.each([
  ['active and renewed', '2026-01-11', {}],
  ['active and cancelled', '2026-01-08', { cancel_at_period_end: true }],
  ['active without a method', '2026-01-08', { gateway: null }],
  ['active with a detached method', '2026-01-11', { gateway: null, method_detached_at: new Date() }],
  ['past due', '2026-01-10', { status: 'past_due', grace_ends_at: new Date('2026-01-10') }],
  ['past due and cancelled', '2026-01-11', { status: 'past_due', cancel_at_period_end: true }],
  ['ended', null, { status: 'ended' }],
  ['incomplete', null, { status: 'incomplete', period_ends_at: null }],
] as const)('a subscription that is %s gives access until %s', (_, end, more) => {
  const subscription = {
    status: 'active',
    period_ends_at: new Date('2026-01-08'),
    period_days: 7,
    grace_ends_at: null,
    cancel_at_period_end: false,
    gateway: 'sandbox',
    method_detached_at: null,
    ...more,
  } as const
  expect(activeUntil(subscription)?.toISOString().slice(0, 10) ?? null).toBe(end)
})
