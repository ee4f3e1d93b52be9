import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  compareGatewayBalance,
  expectTransactionsBalanced,
} from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { PaypalScenarios } from '#server/testing/fakes/paypal-scenarios.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { FakePaypal } from '#server/features/billing/gateways/paypal/fake/fake-paypal.ts'
import { runJanitor } from './janitor.ts'
import { loadReconciliation } from '#server/features/billing/admin/load-reconciliation.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { renewDueSubscriptions } from './renew-due-subscriptions.ts'

const day = 86_400_000
const stepMs = 3 * day
const people = 10

let paypal: FakePaypal
let site: TestSite
let offset = 0

beforeAll(async () => {
  paypal = await FakePaypal.start()
  site = await startTestSite({ clock: { now: () => new Date(Date.now() + offset) } }, paypal.settings)
})
afterAll(async () => {
  await site.close()
  await paypal.close()
})

/** Creates a generator of numbers between 0 and 1. The numbers are the same in every run. */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31
    return state / 2 ** 31
  }
}

async function subscribe(): Promise<void> {
  const shopper = await Shopper.create(site)
  const plan_id = (await shopper.plan(30)).id
  const order = await shopper.order({ kind: 'plan', plan_id, gateway: 'paypal', method: 'wallet' })
  paypal.orders.approve(new URL(order.next.url ?? '').searchParams.get('token') ?? '')
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
}

async function advanceAndRunJobs(milliseconds: number): Promise<void> {
  offset += milliseconds
  paypal.clockOffsetMs = offset
  await runJanitor(site.context)
  await renewDueSubscriptions(site.context)
  await reconcile(site.context)
}

const count = async (query: ReturnType<typeof sql<{ count: number }>>) =>
  (await query.execute(site.context.db)).rows[0]?.count

test(
  'in a year with all states of PayPal payments, nothing is charged twice, given away or missing in the ledger',
  { timeout: 300_000 },
  async () => {
    for (let person = 0; person < people; person++) await subscribe()
    const scenarios = new PaypalScenarios(paypal, {
      random: seeded(20_261_125),
      now: () => new Date(Date.now() + offset),
    })
    for (let step = 0; step * stepMs < 365 * day; step++) {
      scenarios.fund()
      scenarios.runDueEvents()
      await advanceAndRunJobs(stepMs)
      scenarios.startRandomEvents()
      // Adds subscribers regularly, because plans end during the year.
      if (step % 5 === 4) await subscribe()
    }
    while (!scenarios.isIdle) {
      scenarios.runDueEvents()
      await advanceAndRunJobs(stepMs)
    }
    scenarios.finishPending()
    for (let step = 0; step < 6; step++) await advanceAndRunJobs(stepMs)
    const { db, gateways } = site.context
    const expectedStates = [
      'COMPLETED',
      'DECLINED',
      'pending',
      'partly refunded',
      'refund pending',
      'reversed',
    ]
    const disputed = ['PENDING', 'DECLINED', 'REVERSED'].map((status) => `disputed ${status}`)
    expect(Object.keys(scenarios.eventCounts)).toEqual(
      expect.arrayContaining([...expectedStates, ...disputed, 'doubted PENDING']),
    )
    await expectTransactionsBalanced(db)
    for (const gateway of gateways) {
      const { ledgerCents, gatewayCents } = await compareGatewayBalance(db, gateway)
      expect(ledgerCents).toBe(gatewayCents)
    }
    const { discrepancies } = await loadReconciliation(site.context, undefined)
    expect(discrepancies).toEqual([])
    expect(
      await count(sql`SELECT count(*)::int AS count FROM (SELECT orders.id FROM orders JOIN payment_attempts ON payment_attempts.order_id = orders.id
        WHERE payment_attempts.status = 'succeeded' AND NOT EXISTS (SELECT FROM refunds
          WHERE refunds.attempt_id = payment_attempts.id AND refunds.origin = 'unwanted_payment')
        GROUP BY orders.id HAVING count(*) > 1) AS twice`),
    ).toBe(0)
    expect(
      await count(sql`SELECT count(*)::int AS count FROM orders WHERE (status IN ('paid', 'partially_refunded')) <> EXISTS (
        SELECT FROM entitlements WHERE order_id = orders.id AND revoked_at IS NULL)`),
    ).toBe(0)
    expect(await count(sql`SELECT count(*)::int AS count FROM orders WHERE status = 'paid'`)).toBeGreaterThan(
      30,
    )
  },
)
