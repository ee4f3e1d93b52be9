import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { changeUser } from '#contract/members.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { remindSubscribers } from './remind-subscribers.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

let addresses = 0
const address = () => `reader-${++addresses}@example.com`
const isOther = (subject: string) =>
  /^(Your receipt|Receipt|Ihr Beleg|Beleg|Your plan is cancelled)/.test(subject)
/** Returns the mails to a subscriber, except receipts and confirmations of a cancellation. */
const reminders = async (email: string) =>
  (await site.mails(email)).filter(({ subject }) => !isOther(subject))
const subjects = async (email: string) => (await reminders(email)).map(({ subject }) => subject)
const remind = () => remindSubscribers(site.context)

test('a mail announces the end of an introductory price and the price after it', async () => {
  const email = address()
  await Subscriber.create(site, { email })
  await Promise.all([remind(), remind(), remind()])
  const mails = await reminders(email)
  expect(mails.map(({ subject }) => subject)).toEqual(['Your introductory price ends soon'])
  expect(mails[0]?.text).toContain('$9.99 every 7 days')
  await remind()
  expect(await subjects(email)).toHaveLength(1)
})

test("a mail announces each renewal of a yearly plan 7 days before, in the subscriber's language", async () => {
  const email = address()
  const person = await Subscriber.create(site, { days: 365, email })
  await person.shopper.visitor.callOk(changeUser, { body: { language: 'dy' } })
  await person.advanceAndRenew(357 * day)
  await remind()
  expect(await subjects(email)).toEqual([])
  await person.advanceAndRenew(day + 60_000)
  await remind()
  expect(await subjects(email)).toEqual(['Ihr Abo verlängert sich bald'])
  await person.advanceAndRenew(7 * day)
  await remind()
  await person.advanceAndRenew(358 * day)
  await remind()
  expect(await subjects(email)).toEqual(['Ihr Abo verlängert sich bald', 'Ihr Abo verlängert sich bald'])
})

test('no mail announces the renewal of a monthly plan or of a cancelled plan that is not resumed', async () => {
  const [monthly, cancelling] = [address(), address()]
  await Subscriber.create(site, { days: 30, email: monthly })
  const person = await Subscriber.create(site, { email: cancelling })
  await person.shopper.visitor.callOk(cancelSubscription)
  await remind()
  expect([await subjects(monthly), await subjects(cancelling)]).toEqual([[], []])
  await person.shopper.visitor.callOk(resumeSubscription)
  await remind()
  expect(await subjects(cancelling)).toEqual(['Your introductory price ends soon'])
})
