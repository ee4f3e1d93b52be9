import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import {
  expectLedgerBalanced,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { runJanitor } from './janitor.ts'
import { renewDueSubscriptions } from './renew-due-subscriptions.ts'

const hour = 3_600_000
const day = 24 * hour
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerBalanced(site))

const time = (date: Date | null | undefined) => date?.getTime() ?? NaN

test('one period, starting now, is charged after a site outage that was longer than the grace period', async () => {
  const person = await Subscriber.create(site)
  site.advanceClock(40 * day)
  const now = site.context.clock.now().getTime()
  await renewDueSubscriptions(site.context)
  const row = await person.subscriptionRow()
  expect(row).toMatchObject({ status: 'active', period_no: 1 })
  expect(time(row.period_starts_at)).toBeGreaterThanOrEqual(now)
  expect(time(row.period_ends_at) - time(row.period_starts_at)).toBe(7 * day)
  await renewDueSubscriptions(site.context)
  expect(await person.paymentAmounts()).toEqual([499, 999])
})

test('a declined charge after such a site outage starts a new grace period', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(40 * day)
  expect(await person.membership()).toMatchObject({ state: 'subscribed', status: 'past_due' })
  expect(await person.canPlay()).toBe(true)
  await person.advanceAndRenew(day)
  await person.advanceAndRenew(2 * day)
  await renewDueSubscriptions(site.context)
  expect(await person.renewalAttempts()).toHaveLength(3)
  expect(await person.canPlay()).toBe(false)
})

/** Advances the time in steps, and runs the janitor after each step. */
async function advanceInSteps(person: Subscriber, milliseconds: number): Promise<void> {
  const steps = 12
  for (let step = 0; step < steps; step++) {
    await person.advanceAndRenew(milliseconds / steps)
    await runJanitor(site.context)
  }
}

test('a charge is found, and buys one period, if its gateway was down until the plan had ended', async () => {
  const person = await Subscriber.create(site)
  site.gatewayOverrides.chargeSavedMethod = async (charge) => {
    await site.sandboxGateway.chargeSavedMethod(charge)
    throw new Error('the line broke')
  }
  site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('away'))
  await person.advanceAndRenew(7 * day)
  await advanceInSteps(person, 4 * day)
  expect((await person.subscriptionRow()).period_no).toBe(0)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  delete site.gatewayOverrides.retrievePayment
  delete site.gatewayOverrides.chargeSavedMethod
  await advanceInSteps(person, 2 * day)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 0 })
  expect(await person.membership()).toMatchObject({ state: 'subscribed', renews_at: null })
  expect(await person.paymentAmounts('succeeded')).toEqual([499, 999])
})

test('a plan that ended while its gateway was down is not charged when the gateway recovers', async () => {
  const person = await Subscriber.create(site)
  site.gatewayOverrides.chargeSavedMethod = () => Promise.reject(new Error('away'))
  site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('away'))
  await person.advanceAndRenew(7 * day)
  await advanceInSteps(person, 4 * day)
  delete site.gatewayOverrides.retrievePayment
  delete site.gatewayOverrides.chargeSavedMethod
  await advanceInSteps(person, 2 * day)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 0 })
  expect((await person.mailSubjects()).at(-1)).toBe('Your plan has ended')
  expect(await person.paymentAmounts('succeeded')).toEqual([499])
  expect((await person.renewalAttempts()).map(({ status }) => status)).toEqual(['failed'])
})

test('a payment that is found after the end of its plan buys one period from now, without renewals', async () => {
  const person = await Subscriber.create(site)
  site.gatewayOverrides.chargeSavedMethod = async (charge) => {
    const payment = await site.sandboxGateway.chargeSavedMethod(charge)
    if (charge.payer.userId !== person.userId) return payment
    throw new Error('the line broke')
  }
  site.gatewayOverrides.retrievePayment = () => Promise.reject(new Error('away'))
  await person.advanceAndRenew(7 * day)
  await advanceInSteps(person, 30 * day)
  expect((await person.subscriptionRow()).status).toBe('ended')
  expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'failed'])
  delete site.gatewayOverrides.retrievePayment
  delete site.gatewayOverrides.chargeSavedMethod
  const orderId = (await person.orders()).at(-1)?.id ?? ''
  expect(await person.shopper.getOrder(orderId)).toMatchObject({ status: 'paid' })
  expect(await person.canPlay()).toBe(true)
  expect(await person.membership()).toMatchObject({
    state: 'subscribed',
    renews_at: null,
    cancel_at_period_end: true,
  })
  expect((await person.mailSubjects()).at(-1)).toBe('Receipt: your plan was renewed')
  await person.advanceAndRenew(8 * day)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  expect(await person.paymentAmounts('succeeded')).toEqual([499, 999])
})

test('a renewal is past due while its gateway is not configured, and is charged when the gateway is configured again', async () => {
  const person = await Subscriber.create(site)
  const away = { ...site.context, gateways: [] }
  site.advanceClock(7 * day + 1000)
  await renewDueSubscriptions(away)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'past_due', period_no: 0 })
  await person.advanceAndRenew(hour)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'active', period_no: 1 })
})
