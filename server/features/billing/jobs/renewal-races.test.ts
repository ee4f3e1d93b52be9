import { afterAll, beforeAll, expect, test } from 'vitest'
import { compareSandboxBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import { runJanitor } from './janitor.ts'
import { renewSubscription } from './renew-subscription.ts'
import { renewDueSubscriptions } from './renew-due-subscriptions.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

const charged = async (person: Subscriber) => (await person.payments('succeeded')).length

test('concurrent schedulers charge each period once', async () => {
  const people = await Promise.all(Array.from({ length: 12 }, () => Subscriber.create(site)))
  for (const periods of [2, 3]) {
    site.advanceClock(7 * day)
    await Promise.all(Array.from({ length: 6 }, () => renewDueSubscriptions(site.context)))
    for (const person of people) {
      expect(await charged(person)).toBe(periods)
      expect((await person.subscriptionRow()).period_no).toBe(periods - 1)
    }
  }
  const { ledgerCents, gatewayCents } = await compareSandboxBalance(site.context.db)
  expect(ledgerCents).toBe(gatewayCents)
})

test('a subscription is charged once if several processes renew it concurrently', async () => {
  const person = await Subscriber.create(site)
  site.advanceClock(7 * day)
  await Promise.all(Array.from({ length: 8 }, () => renewSubscription(site.context, person.subscriptionId)))
  expect(await charged(person)).toBe(2)
})

test('a manual payment during a scheduled retry makes one charge, or the second charge is refunded', async () => {
  const person = await Subscriber.create(site)
  site.gatewayOverrides.chargeSavedMethod = (charge) =>
    Promise.resolve({
      ...failed,
      ...idsOf(charge),
      reference: `declined ${charge.key}`,
      amountCents: charge.amountCents,
    })
  await person.advanceAndRenew(7 * day)
  delete site.gatewayOverrides.chargeSavedMethod
  const plan_id = (await person.shopper.plan(7)).id
  const order = await person.shopper.order({ kind: 'plan', plan_id })
  site.advanceClock(day)
  const token = await person.shopper.cardToken()
  await Promise.all([
    renewDueSubscriptions(site.context),
    person.shopper.tryPay(order.id, token),
    renewDueSubscriptions(site.context),
  ])
  for (let round = 0; round < 4; round++) {
    site.advanceClock(60_000)
    await runJanitor(site.context)
  }
  const unrefunded = (await person.payments('succeeded')).filter(({ refundedCents }) => refundedCents === 0)
  expect(unrefunded).toHaveLength(2)
  expect(await person.subscriptionRow()).toMatchObject({ status: 'active', period_no: 1 })
  const { ledgerCents, gatewayCents } = await compareSandboxBalance(site.context.db)
  expect(ledgerCents).toBe(gatewayCents)
})

const failed = {
  status: 'failed',
  refundedCents: 0,
  currency: 'USD',
  decline: 'card_declined',
} as const
const idsOf = ({ orderId, attemptId }: { orderId: string; attemptId: string }) => ({ orderId, attemptId })
