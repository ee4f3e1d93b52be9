import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { expectSound, moneySite, type MoneySite } from '#server/testing/site/money-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { runJanitor } from './janitor.ts'
import { renewSubscriptions } from './renew-subscriptions.ts'

const hour = 3_600_000
const day = 24 * hour
let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())
afterEach(() => expectSound(site))

const time = (date: Date | null | undefined) => date?.getTime() ?? NaN

test('after an outage of ours that was longer than the grace one period is charged, from now', async () => {
  const person = await Subscriber.on(site)
  site.moveOn(40 * day)
  const now = site.context.clock.now().getTime()
  await renewSubscriptions(site.context)
  const row = await person.row()
  expect(row).toMatchObject({ status: 'active', period_no: 1 })
  expect(time(row.period_starts_at)).toBeGreaterThanOrEqual(now)
  expect(time(row.period_ends_at) - time(row.period_starts_at)).toBe(7 * day)
  await renewSubscriptions(site.context)
  expect(await person.cents()).toEqual([499, 999])
})

test('a charge declined after such an outage has a grace of its own', async () => {
  const person = await Subscriber.on(site, { card: testCards.declinesLater })
  await person.after(40 * day)
  expect(await person.membership()).toMatchObject({ state: 'subscribed', status: 'past_due' })
  expect(await person.plays()).toBe(true)
  await person.after(day)
  await person.after(2 * day)
  await renewSubscriptions(site.context)
  expect(await person.tries()).toHaveLength(3)
  expect(await person.plays()).toBe(false)
})

/** Lets time pass in steps, running the janitor in each. */
async function pass(person: Subscriber, milliseconds: number): Promise<void> {
  const steps = 12
  for (let step = 0; step < steps; step++) {
    await person.after(milliseconds / steps)
    await runJanitor(site.context)
  }
}

test('a plan ends while its gateway is away longer than the grace; a charge that was taken is found and honoured once', async () => {
  const person = await Subscriber.on(site)
  site.trouble.chargeSavedMethod = async (charge) => {
    await site.sound.chargeSavedMethod(charge)
    throw new Error('the line broke')
  }
  site.trouble.retrievePayment = () => Promise.reject(new Error('away'))
  await person.after(7 * day)
  await pass(person, 4 * day)
  expect((await person.row()).period_no).toBe(0)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  delete site.trouble.retrievePayment
  delete site.trouble.chargeSavedMethod
  await pass(person, 2 * day)
  expect(await person.row()).toMatchObject({ status: 'ended', period_no: 0 })
  expect(await person.membership()).toMatchObject({ state: 'subscribed', renews_at: null })
  expect(await person.cents('succeeded')).toEqual([499, 999])
})

test('a plan ends while its gateway is away longer than the grace; where nothing was taken nothing is charged later', async () => {
  const person = await Subscriber.on(site)
  site.trouble.chargeSavedMethod = () => Promise.reject(new Error('away'))
  site.trouble.retrievePayment = () => Promise.reject(new Error('away'))
  await person.after(7 * day)
  await pass(person, 4 * day)
  delete site.trouble.retrievePayment
  delete site.trouble.chargeSavedMethod
  await pass(person, 2 * day)
  expect(await person.row()).toMatchObject({ status: 'ended', period_no: 0 })
  expect((await person.told()).at(-1)).toBe('Your plan has ended')
  expect(await person.cents('succeeded')).toEqual([499])
  expect((await person.tries()).map(({ status }) => status)).toEqual(['failed'])
})

test('money that comes after the end is honoured with a period from now, which is not renewed', async () => {
  const person = await Subscriber.on(site)
  site.trouble.chargeSavedMethod = async (charge) => {
    const payment = await site.sound.chargeSavedMethod(charge)
    if (charge.payer.userId !== person.userId) return payment
    throw new Error('the line broke')
  }
  site.trouble.retrievePayment = () => Promise.reject(new Error('away'))
  await person.after(7 * day)
  await pass(person, 30 * day)
  expect((await person.row()).status).toBe('ended')
  expect((await person.orders()).map(({ status }) => status)).toEqual(['paid', 'failed'])
  delete site.trouble.retrievePayment
  delete site.trouble.chargeSavedMethod
  const orderId = (await person.orders()).at(-1)?.id ?? ''
  expect(await person.shopper.look(orderId)).toMatchObject({ status: 'paid' })
  expect(await person.plays()).toBe(true)
  expect(await person.membership()).toMatchObject({
    state: 'subscribed',
    renews_at: null,
    cancel_at_period_end: true,
  })
  expect((await person.told()).at(-1)).toBe('Receipt: your plan was renewed')
  await person.after(8 * day)
  expect(await person.membership()).toMatchObject({ state: 'free' })
  expect(await person.cents('succeeded')).toEqual([499, 999])
})

test('a renewal whose gateway is not set up is past due, and is made once the gateway is set up', async () => {
  const person = await Subscriber.on(site)
  const away = { ...site.context, gateways: [] }
  site.moveOn(7 * day + 1000)
  await renewSubscriptions(away)
  expect(await person.row()).toMatchObject({ status: 'past_due', period_no: 0 })
  await person.after(hour)
  expect(await person.row()).toMatchObject({ status: 'active', period_no: 1 })
})
