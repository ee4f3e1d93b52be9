import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { changeUser } from '#contract/members.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { notifyPriceChange } from './notify-price-change.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterEach(async () => {
  await price(7, 999)
  await price(30, 2499)
})
afterAll(() => site.close())

let addresses = 0
const address = () => `payer-${++addresses}@example.com`

async function price(days: number, price_cents: number): Promise<void> {
  await site.context.db.updateTable('plans').set({ price_cents }).where('period_days', '=', days).execute()
}
const notifyPriceChanges = () => notifyPriceChange(site.context)
const notices = async (email: string) =>
  (await site.mails(email)).filter(({ subject }) =>
    /price of your plan is changing|Preis Ihres Abos/.test(subject),
  )
const charged = async (person: Subscriber) =>
  (await person.payments('succeeded')).map(({ amountCents }) => amountCents)

/** Advances the clock day by day, and runs renewals and price notices each day. */
async function advanceDays(person: Subscriber, days: number): Promise<void> {
  for (let remaining = days; remaining > 0; remaining--) {
    await person.advanceAndRenew(day)
    await notifyPriceChanges()
  }
}

test('a subscriber gets one notice of a price increase, and pays the new price from the first period that begins at least 14 days later', async () => {
  const email = address()
  const person = await Subscriber.create(site, { email })
  await advanceDays(person, 8)
  await price(7, 1299)
  expect(await person.membership()).toMatchObject({ plan: { price_cents: 999 } })
  await Promise.all([notifyPriceChanges(), notifyPriceChanges(), notifyPriceChanges()])
  await advanceDays(person, 7)
  expect(await charged(person)).toEqual([499, 999, 999])
  expect(await person.membership()).toMatchObject({ plan: { price_cents: 999 } })
  const { period_ends_at } = await person.subscriptionRow()
  await advanceDays(person, 7)
  expect(await charged(person)).toEqual([499, 999, 999, 999])
  expect(await person.membership()).toMatchObject({ plan: { price_cents: 1299 } })
  await advanceDays(person, 14)
  expect(await charged(person)).toEqual([499, 999, 999, 999, 1299, 1299])
  const mails = await notices(email)
  expect(mails).toHaveLength(1)
  expect(mails[0]?.text).toContain('$12.99 every 7 days')
  const from = new Date((period_ends_at?.getTime() ?? 0) + 7 * day)
  const words = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' }).format(from)
  expect(mails[0]?.text.replace(/\s+/g, ' ')).toContain(`From ${words} (UTC)`)
})

test('a subscriber who gets no notice of a price increase keeps the old price', async () => {
  const person = await Subscriber.create(site)
  await price(7, 1299)
  for (let weeks = 4; weeks > 0; weeks--) await person.advanceAndRenew(7 * day + 60_000)
  expect(await charged(person)).toEqual([499, 999, 999, 999, 999])
})

test('a price decrease applies immediately, but an increase back to the old price needs a notice', async () => {
  const email = address()
  const person = await Subscriber.create(site, { email })
  await price(7, 799)
  expect(await person.membership()).toMatchObject({ plan: { price_cents: 799 } })
  await advanceDays(person, 8)
  expect(await charged(person)).toEqual([499, 799])
  expect(await notices(email)).toHaveLength(0)
  await price(7, 999)
  await notifyPriceChanges()
  expect(await notices(email)).toHaveLength(1)
  await advanceDays(person, 7)
  expect(await charged(person)).toEqual([499, 799, 799])
})

test('a price notice is not sent to new or cancelled subscribers, but to those who resume', async () => {
  const [early, late] = [address(), address()]
  const cancelling = await Subscriber.create(site, { email: early })
  await cancelling.shopper.visitor.callOk(changeUser, { body: { language: 'dy' } })
  await cancelling.shopper.visitor.callOk(cancelSubscription)
  await price(7, 1299)
  const newSubscriber = await Subscriber.create(site, { email: late })
  await notifyPriceChanges()
  expect([await notices(early), await notices(late)]).toEqual([[], []])
  await cancelling.shopper.visitor.callOk(resumeSubscription)
  await notifyPriceChanges()
  expect(await notices(early)).toHaveLength(1)
  await advanceDays(newSubscriber, 8)
  expect(await charged(newSubscriber)).toEqual([499, 1299])
})

test('a planned change of plan keeps its agreed price in all periods, even if the prices of both plans rise', async () => {
  const email = address()
  const person = await Subscriber.create(site, { days: 30, email, card: testCards.pays })
  const { id } = await person.shopper.plan(7)
  await person.shopper.order({ kind: 'plan', plan_id: id })
  await price(7, 1299)
  await price(30, 2999)
  await notifyPriceChanges()
  expect(await notices(email)).toEqual([])
  await advanceDays(person, 31)
  expect(await charged(person)).toEqual([2499, 999])
  await person.advanceAndRenew(7 * day)
  expect(await charged(person)).toEqual([2499, 999, 999])
})
