import { afterAll, beforeAll, expect, test } from 'vitest'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { startStripeCheckouts, type StripeCheckouts } from './stripe-checkouts.ts'

let checkouts: StripeCheckouts
let site: TestSite
const paid: string[] = []

beforeAll(async () => {
  // The site does not need the webhook events.
  checkouts = await startStripeCheckouts('http://127.0.0.1:1')
  site = await startTestSite({}, checkouts.env)
  const { episodes } = await buildVideo(site.context)
  for (let buyer = 1; buyer <= 2; buyer++)
    paid.push(await checkouts.checkOut(await Shopper.create(site), episodes.at(-1)?.id ?? ''))
})
afterAll(async () => {
  await site?.close()
  await checkouts?.close()
})

const check = (orders = paid) => checkouts.expectNothingLost(site.context.db, orders, 0)

test('reports no error for purchases through the fake Stripe', async () => {
  await check()
})

test('finds an order that was reported as paid but is missing', async () => {
  await expect(check([...paid, 'ord_missing'])).rejects.toThrow('lostPayments')
})

test('finds a second charge for an order, even if it was refunded', async () => {
  const { intents } = checkouts.stripe.store
  const [first] = intents.values()
  if (!first?.charge) throw new Error('there is no charge')
  const second = { ...first, id: `${first.id}2`, charge: { ...first.charge, id: `${first.charge.id}2` } }
  intents.set(second.id, second)
  await expect(check()).rejects.toThrow('paidTwice')
  second.charge.refunded = second.amount
  await expect(check()).rejects.toThrow('to deeply equal []')
  intents.delete(second.id)
  await check()
})

test('finds a paid order without access, and a charge whose order is not paid', async () => {
  const [orderId = ''] = paid
  const { db } = site.context
  await db.deleteFrom('entitlements').where('order_id', '=', orderId).execute()
  await expect(check()).rejects.toThrow('paidWithoutEntitlement')
  await db.updateTable('orders').set({ status: 'pending' }).where('id', '=', orderId).execute()
  await expect(check()).rejects.toThrow('lostPayments')
})
