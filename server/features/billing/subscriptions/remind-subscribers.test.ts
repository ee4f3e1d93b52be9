import { afterAll, beforeAll, expect, test } from 'vitest'
import { cancelSubscription, resumeSubscription } from '#contract/billing.ts'
import { changeUser } from '#contract/members.ts'
import { moneySite, type MoneySite } from '#server/testing/site/money-site.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { remindSubscribers } from './remind-subscribers.ts'

const day = 86_400_000
let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

let addresses = 0
const address = () => `reader-${++addresses}@example.com`
const isOther = (subject: string) =>
  /^(Your receipt|Receipt|Ihr Beleg|Beleg|Your plan is cancelled)/.test(subject)
/** Returns the mails to a subscriber except receipts and confirmations of a cancellation. */
const told = async (email: string) => (await site.mails(email)).filter(({ subject }) => !isOther(subject))
const subjects = async (email: string) => (await told(email)).map(({ subject }) => subject)
const remind = () => remindSubscribers(site.context)

test('an introductory price is said to end, with what it costs then', async () => {
  const email = address()
  await Subscriber.on(site, { email })
  await Promise.all([remind(), remind(), remind()])
  const mails = await told(email)
  expect(mails.map(({ subject }) => subject)).toEqual(['Your introductory price ends soon'])
  expect(mails[0]?.text).toContain('$9.99 every 7 days')
  await remind()
  expect(await subjects(email)).toHaveLength(1)
})

test('a yearly plan is said to renew 7 days before, each year, in the language of the person', async () => {
  const email = address()
  const person = await Subscriber.on(site, { days: 365, email })
  await person.shopper.visitor.ask(changeUser, { body: { language: 'dy' } })
  await person.after(357 * day)
  await remind()
  expect(await subjects(email)).toEqual([])
  await person.after(day + 60_000)
  await remind()
  expect(await subjects(email)).toEqual(['Ihr Abo verlängert sich bald'])
  await person.after(7 * day)
  await remind()
  await person.after(358 * day)
  await remind()
  expect(await subjects(email)).toEqual(['Ihr Abo verlängert sich bald', 'Ihr Abo verlängert sich bald'])
})

test('a plan of a month is not, nor whoever has cancelled, unless they resume', async () => {
  const [monthly, leaver] = [address(), address()]
  await Subscriber.on(site, { days: 30, email: monthly })
  const person = await Subscriber.on(site, { email: leaver })
  await person.shopper.visitor.ask(cancelSubscription)
  await remind()
  expect([await subjects(monthly), await subjects(leaver)]).toEqual([[], []])
  await person.shopper.visitor.ask(resumeSubscription)
  await remind()
  expect(await subjects(leaver)).toEqual(['Your introductory price ends soon'])
})
