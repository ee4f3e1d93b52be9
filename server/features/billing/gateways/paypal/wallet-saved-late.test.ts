import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { getUser } from '#contract/members.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { FakePaypal } from './fake/fake-paypal.ts'

let paypal: FakePaypal
let site: TestSite
let offset = 0

beforeAll(async () => {
  paypal = await FakePaypal.start()
  paypal.orders.vaultsLater = true
  site = await startTestSite({ clock: { now: () => new Date(Date.now() + offset) } }, paypal.settings)
})
afterAll(async () => {
  await site.close()
  await paypal.close()
})
beforeEach(() => {
  paypal.webhookUrl = `${site.url}/api/webhook/payment/paypal`
})

/** Creates a subscriber who has paid with a wallet that PayPal has not saved yet. */
async function subscribed() {
  const shopper = await Shopper.create(site)
  const plan_id = (await shopper.plan(30)).id
  const order = await shopper.order({ gateway: 'paypal', method: 'wallet', kind: 'plan', plan_id })
  const token = new URL(order.next.url ?? '').searchParams.get('token') ?? ''
  paypal.orders.approve(token)
  await expect.poll(() => shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  await paypal.flushEvents()
  const membership = async () => (await shopper.visitor.callOk(getUser)).membership
  return { order, token, membership }
}

async function advanceClock(milliseconds: number) {
  offset += milliseconds
  paypal.clockOffsetMs = offset
  await runJanitor(site.context)
  await renewDueSubscriptions(site.context)
}

test('a plan is renewed with its wallet if PayPal saves the wallet some time after the payment', async () => {
  const { token, membership } = await subscribed()
  expect(await membership()).toMatchObject({ status: 'active', renews_at: null })
  paypal.orders.vaultNow(token)
  await expect.poll(membership).toMatchObject({ renews_at: expect.any(String), gateway: 'paypal' })
  await advanceClock(30 * 86_400_000 + 60_000)
  const { vaultId } = paypal.orders.get(token)
  expect(paypal.requests.filter(({ text }) => text.includes(`"vault_id":"${vaultId}"`))).toHaveLength(1)
  expect(await membership()).toMatchObject({ status: 'active', renews_at: expect.any(String) })
})

test('a wallet is detached if PayPal saves it after its payment was refunded', async () => {
  const { order, token, membership } = await subscribed()
  await refundOrder(site.context, order.id, { reason: 'goodwill' })
  paypal.orders.vaultNow(token)
  await paypal.flushEvents()
  const { vaultId = '' } = paypal.orders.get(token)
  expect(paypal.orders.vault.has(vaultId)).toBe(true)
  const isStillSetUp = async () => {
    await advanceClock(1000)
    return paypal.orders.vault.has(vaultId)
  }
  await expect.poll(isStillSetUp).toBe(false)
  expect(await membership()).toMatchObject({ state: 'free' })
})
