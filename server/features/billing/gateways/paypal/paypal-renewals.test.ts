import { afterEach, beforeEach, expect, test } from 'vitest'
import { listPlans } from '#contract/billing.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { compareGatewayBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { FakePaypal, type SimulatedFault } from './fake/fake-paypal.ts'

const hour = 3_600_000
let paypal: FakePaypal
let site: TestSite
let offset = 0

beforeEach(async () => {
  offset = 0
  paypal = await FakePaypal.start()
  site = await startTestSite({ clock: { now: () => new Date(Date.now() + offset) } }, paypal.settings)
})
afterEach(async () => {
  paypal.recover()
  const [gateway] = site.context.gateways
  const balances = gateway && (await compareGatewayBalance(site.context.db, gateway))
  expect(balances?.gatewayCents).toBe(balances?.ledgerCents)
  await site.close()
  await paypal.close()
})

/** Advances the clocks here and at PayPal, and runs the jobs that are due. */
async function advanceAndRunJobs(milliseconds: number): Promise<void> {
  offset += milliseconds
  paypal.clockOffsetMs = offset
  await runJanitor(site.context)
  await renewDueSubscriptions(site.context)
}

/** Creates a subscriber, and runs the first renewal while PayPal has a fault. */
async function renew(fault: SimulatedFault): Promise<void> {
  await subscribe()
  paypal.fault = { on: /POST .*orders$/, with: [fault] }
  await advanceAndRunJobs(7 * 24 * hour)
  paypal.recover()
}

async function subscribe(): Promise<void> {
  const { list } = await site.visitor().callOk(listPlans)
  const plan_id = list.find(({ period_days }) => period_days === 7)?.id
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ kind: 'plan', plan_id, gateway: 'paypal', method: 'wallet' })
  paypal.orders.approve(new URL(order.next.url ?? '').searchParams.get('token') ?? '')
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
}

const subscription = () =>
  site.context.db
    .selectFrom('subscriptions')
    .select(['status', 'period_no'])
    .where('status', 'in', ['active', 'past_due'])
    .executeTakeFirst()

/** Counts the renewals that PayPal charged. */
async function countCaptures(): Promise<number> {
  const renewals = await site.context.db
    .selectFrom('orders')
    .select('id')
    .where('period_no', '>', 0)
    .execute()
  const ids = renewals.map(({ id }) => id)
  const orders = [...paypal.orders.all.values()]
  return orders.filter(({ request }) => ids.includes(request.purchase_units[0]?.custom_id ?? '')).length
}

test('a renewal whose response was lost is charged once, even if PayPal lists it only six hours later', async () => {
  await renew('dropped after')
  paypal.listingDelayMs = 6 * hour
  for (let hours = 0; hours < 6; hours++) {
    await advanceAndRunJobs(hour - 60_000)
    const status = hours === 0 ? 'active' : 'past_due'
    expect([await countCaptures(), await subscription()]).toEqual([1, { status, period_no: 0 }])
  }
  for (let hours = 0; hours < 3; hours++) await advanceAndRunJobs(hour)
  expect([await countCaptures(), await subscription()]).toEqual([1, { status: 'active', period_no: 1 }])
})

test('a renewal that PayPal did not receive is charged with a new key after the lookup time has passed', async () => {
  await renew('dropped before')
  for (let hours = 0; hours < 6; hours++) {
    await advanceAndRunJobs(hour)
    expect(await countCaptures()).toBe(0)
  }
  await advanceAndRunJobs(hour)
  await advanceAndRunJobs(60_000)
  expect([await countCaptures(), await subscription()]).toEqual([1, { status: 'active', period_no: 1 }])
})

test('a renewal whose price has a fraction of the currency’s unit is not sent, and the plan ends after its grace', async () => {
  const { db } = site.context
  const weekly = (change: { price_cents: number; intro_price_cents?: number; currency?: string }) =>
    db.updateTable('plans').set(change).where('period_days', '=', 7).execute()
  await weekly({ currency: 'JPY', intro_price_cents: 50_000, price_cents: 99_900 })
  await subscribe()
  await weekly({ price_cents: 99_950 })
  await db.updateTable('subscriptions').set({ agreed_price_cents: 99_950 }).execute()
  await advanceAndRunJobs(7 * 24 * hour)
  await advanceAndRunJobs(hour)
  const attempts = await db.selectFrom('payment_attempts').select('status').execute()
  expect(attempts).toEqual([{ status: 'succeeded' }])
  expect([await countCaptures(), await subscription()]).toEqual([0, { status: 'past_due', period_no: 0 }])
  await advanceAndRunJobs(72 * hour)
  expect([await countCaptures(), await subscription()]).toEqual([0, undefined])
})
