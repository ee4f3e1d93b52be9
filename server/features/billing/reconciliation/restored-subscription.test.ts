import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { cancelSubscription } from '#contract/billing.ts'
import {
  startBillingSite,
  expectLedgerBalanced,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { takeBackup } from '#server/testing/database/take-backup.ts'
import { comparePayments } from './compare-payments.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())
// A card gets an introductory price once, and each test pays with the same card.
beforeEach(async () => void (await site.context.db.deleteFrom('used_intro_prices').execute()))
afterEach(async () => {
  // Each restore also loses the renewals of the other tests' subscribers.
  await findAllPayments()
  await expectLedgerBalanced(site)
})

const backUp = () => takeBackup(site.context.db)

/** Compares all payments with the database. The reconciliation would only list the latest ones. */
async function findAllPayments(): Promise<void> {
  for (const gateway of site.context.gateways)
    await comparePayments(site.context, gateway, await gateway.listPayments(new Date(0)))
}

/** Returns a user's orders by period; those without a period come last. */
const ordersOf = (userId: string) =>
  site.context.db
    .selectFrom('orders')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('period_no')
    .orderBy('created_at')
    .execute()

const statesOf = async (userId: string) =>
  (await ordersOf(userId)).map(({ period_no, amount_cents, status }) => [period_no, amount_cents, status])

/** Returns what a subscriber's payments leave at the gateway, without those that were refunded in full. */
const paidCents = async (person: Subscriber) =>
  (await person.payments('succeeded'))
    .map(({ amountCents, refundedCents }) => amountCents - refundedCents)
    .filter((cents) => cents > 0)
    .toSorted((a, b) => a - b)

test('a lost manual payment keeps the cancellation that the customer made after the restore', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day)
  expect(await person.membership()).toMatchObject({ status: 'past_due' })
  const restore = await backUp()
  const plan_id = (await person.shopper.plan(7)).id
  expect((await person.shopper.buy({ kind: 'plan', plan_id })).info?.status).toBe('paid')
  await restore()
  await person.shopper.visitor.callOk(cancelSubscription)
  await findAllPayments()
  expect(await statesOf(person.userId)).toEqual([
    [0, 499, 'paid'],
    [1, 999, 'paid'],
  ])
  expect(await person.membership()).toMatchObject({
    status: 'active',
    cancel_at_period_end: true,
    renews_at: null,
  })
  await person.advanceAndRenew(8 * day)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'ended', period_no: 1 })
  expect(await paidCents(person)).toEqual([499, 999])
})
