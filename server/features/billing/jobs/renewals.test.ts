import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { expectSound, moneySite, type MoneySite } from '#server/testing/site/money-site.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
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

test('a period that ends is followed by the next: charged once, from the old end, with a receipt', async () => {
  const person = await Subscriber.on(site)
  const before = await person.row()
  await person.after(6 * day)
  expect(await person.cents()).toEqual([499])
  await person.after(day + 5 * hour)
  expect(await person.cents('succeeded')).toEqual([499, 999])
  const after = await person.row()
  expect(after).toMatchObject({ status: 'active', period_no: 1, period_starts_at: before.period_ends_at })
  expect(time(after.period_ends_at) - time(before.period_ends_at)).toBe(7 * day)
  expect(await person.plays()).toBe(true)
  expect(await person.membership()).toMatchObject({
    status: 'active',
    renews_at: after.period_ends_at?.toISOString(),
  })
  expect((await site.mails(person.shopper.email)).at(-1)).toMatchObject({
    subject: 'Receipt: your plan was renewed',
    text: expect.stringContaining('$9.99'),
  })
  await renewSubscriptions(site.context)
  expect(await person.payments()).toHaveLength(2)
})

test('between the end of a period and its charge nobody is locked out', async () => {
  const person = await Subscriber.on(site)
  site.moveOn(7 * day + hour)
  expect(await person.plays()).toBe(true)
  expect(await person.membership()).toMatchObject({ state: 'subscribed', status: 'active' })
})

test('what was cancelled is charged no more and is over with its period; resumed, it is renewed', async () => {
  const cancelled = await Subscriber.on(site)
  const resumed = await Subscriber.on(site)
  await cancelled.shopper.visitor.ask(cancelSubscription)
  await resumed.shopper.visitor.ask(cancelSubscription)
  await resumed.shopper.visitor.ask(resumeSubscription)
  site.moveOn(7 * day + 1000)
  expect([await cancelled.plays(), await resumed.plays()]).toEqual([false, true])
  await renewSubscriptions(site.context)
  expect([(await cancelled.row()).status, (await resumed.row()).status]).toEqual(['ended', 'active'])
  await cancelled.after(40 * day)
  expect(await cancelled.payments()).toHaveLength(1)
  expect(await resumed.payments()).toHaveLength(3)
})

test('without a kept payment method a subscription ends with its period, and says so', async () => {
  const person = await Subscriber.on(site)
  await site.context.db
    .updateTable('subscriptions')
    .set({ payment_method_id: null })
    .where('id', '=', person.subscriptionId)
    .execute()
  expect(await person.membership()).toMatchObject({ renews_at: null, ends_at: expect.any(String) })
  await person.after(7 * day + 1000)
  expect((await person.row()).status).toBe('ended')
  expect(await person.plays()).toBe(false)
  expect(await person.told()).toEqual(['Your plan has ended'])
  expect(await person.payments()).toHaveLength(1)
})
