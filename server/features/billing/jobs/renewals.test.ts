import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import {
  expectLedgerBalanced,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
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

test('the next period starts at the end of the old one, is charged once, and has a receipt', async () => {
  const person = await Subscriber.create(site)
  const before = await person.subscriptionRow()
  await person.advanceAndRenew(6 * day)
  expect(await person.paymentAmounts()).toEqual([499])
  await person.advanceAndRenew(day + 5 * hour)
  expect(await person.paymentAmounts('succeeded')).toEqual([499, 999])
  const after = await person.subscriptionRow()
  expect(after).toMatchObject({ status: 'active', period_no: 1, period_starts_at: before.period_ends_at })
  expect(time(after.period_ends_at) - time(before.period_ends_at)).toBe(7 * day)
  expect(await person.canPlay()).toBe(true)
  expect(await person.membership()).toMatchObject({
    status: 'active',
    renews_at: after.period_ends_at?.toISOString(),
  })
  expect((await site.mails(person.shopper.email)).at(-1)).toMatchObject({
    subject: 'Receipt: your plan was renewed',
    text: expect.stringContaining('$9.99'),
  })
  await renewDueSubscriptions(site.context)
  expect(await person.payments()).toHaveLength(2)
})

test('access continues between the end of a period and the charge for the next one', async () => {
  const person = await Subscriber.create(site)
  site.advanceClock(7 * day + hour)
  expect(await person.canPlay()).toBe(true)
  expect(await person.membership()).toMatchObject({ state: 'subscribed', status: 'active' })
})

test('a cancelled plan is not charged again and ends after its period, but a resumed plan is renewed', async () => {
  const cancelled = await Subscriber.create(site)
  const resumed = await Subscriber.create(site)
  await cancelled.shopper.visitor.callOk(cancelSubscription)
  await resumed.shopper.visitor.callOk(cancelSubscription)
  await resumed.shopper.visitor.callOk(resumeSubscription)
  site.advanceClock(7 * day + 1000)
  expect([await cancelled.canPlay(), await resumed.canPlay()]).toEqual([false, true])
  await renewDueSubscriptions(site.context)
  expect([(await cancelled.subscriptionRow()).status, (await resumed.subscriptionRow()).status]).toEqual([
    'ended',
    'active',
  ])
  await cancelled.advanceAndRenew(40 * day)
  expect(await cancelled.payments()).toHaveLength(1)
  expect(await resumed.payments()).toHaveLength(3)
})

test('a subscription without a saved payment method ends after its period, and the subscriber gets a mail', async () => {
  const person = await Subscriber.create(site)
  await site.context.db
    .updateTable('subscriptions')
    .set({ payment_method_id: null })
    .where('id', '=', person.subscriptionId)
    .execute()
  expect(await person.membership()).toMatchObject({ renews_at: null, ends_at: expect.any(String) })
  await person.advanceAndRenew(7 * day + 1000)
  expect((await person.subscriptionRow()).status).toBe('ended')
  expect(await person.canPlay()).toBe(false)
  expect(await person.mailSubjects()).toEqual(['Your plan has ended'])
  expect(await person.payments()).toHaveLength(1)
})
