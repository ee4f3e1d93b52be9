import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOrder, payOrder } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { tryChangeMethod } from '#server/testing/builders/change-method.ts'
import { startGatewaySite, type GatewaySite } from '#server/testing/site/gateway-site.ts'
import {
  attemptsOf,
  episodeIdOf,
  expectLedgerBalanced,
  startBillingSite,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { Subscriber } from '#server/testing/builders/subscriber.ts'
import type { TestSite } from '#server/testing/site/test-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'

const day = 86_400_000
/** More attempts than the limit of twenty. */
const tries = Array.from({ length: 25 }, (_, index) => index)

let site: BillingSite
beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

async function auditedOf({ context }: TestSite, { visitor }: Shopper): Promise<string[]> {
  const { id } = await visitor.callOk(getUser)
  const { rows } = await context.database.pool.query<{ event: string }>(
    'SELECT event FROM audit_events WHERE user_id = $1',
    [id],
  )
  return rows.map(({ event }) => event)
}

const startsAt = (shop: BillingSite) => shop.calls['createPayment'] ?? 0

test('an order accepts at most twenty payments, and the last payment can still be completed', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: episodeIdOf(site), method: 'wallet' })
  const before = startsAt(site)
  const codes = []
  for (const number of tries) codes.push((await shopper.tryPay(order.id, `x${number}`)).code)
  // The first payment was started with the order.
  expect(codes).toEqual([...Array(19).fill(200), ...Array(6).fill(409)])
  expect(await shopper.tryPay(order.id, 'x')).toMatchObject({ message: /closed. Please start a new one/ })
  expect(startsAt(site) - before).toBe(19)
  const attempts = await attemptsOf(site, order.id)
  expect(attempts.map(({ status }) => status)).toEqual([...Array(19).fill('cancelled'), 'requires_action'])
  expect(await auditedOf(site, shopper)).toEqual([])
  const { next } = await shopper.getOrder(order.id)
  await shopper.answerBankPage(next.url ?? '', 'yes')
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  await expectLedgerBalanced(site)
})

test('the order of an open period can be paid again a day after it reached the limit of payments, because a period has only one order', async () => {
  const person = await Subscriber.create(site, { card: testCards.declinesRenewals })
  await person.advanceAndRenew(7 * day)
  const { id } = await person.shopper.order({
    kind: 'plan',
    plan_id: (await person.subscriptionRow()).plan_id,
    method: 'wallet',
  })
  const pay = (number: number) =>
    person.shopper.visitor.call(payOrder, { body: { order_id: id, payment_token: `x${number}` } })
  const answers = []
  for (const number of tries) answers.push(await pay(number))
  expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(20)
  const refused = answers.at(-1)
  expect(refused?.status).toBe(429)
  const wait = Number(refused?.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(86_000)
  site.advanceClock((wait + 1) * 1000)
  expect((await pay(30)).answer).toMatchObject({ code: 200 })
})

test('a user can set up at most twenty payment methods a day, including wallets', async () => {
  const { shopper } = await Subscriber.create(site)
  const codes = []
  for (const _ of tries)
    codes.push((await tryChangeMethod(shopper, { gateway: 'sandbox', method: 'wallet' })).code)
  expect(codes).toEqual([...Array(20).fill(200), ...Array(5).fill(429)])
  site.advanceClock(day + 1000)
  expect((await tryChangeMethod(shopper, { gateway: 'sandbox', method: 'wallet' })).code).toBe(200)
})

test('the limit on payments and method setups from a network applies to all its users and to all methods', async () => {
  const shared = await startBillingSite({ RATE_LIMIT_PAYMENTS_PER_IP: '4/h' })
  try {
    const createShopper = () => Shopper.create(shared, new Visitor(shared.directUrl))
    const orderParams = { episode_id: episodeIdOf(shared), method: 'wallet' as const }
    const subscriber = await createShopper()
    await subscriber.buy({ kind: 'plan', plan_id: (await subscriber.plan(7)).id })
    expect(await tryChangeMethod(subscriber, { gateway: 'sandbox', method: 'wallet' })).toMatchObject({
      code: 200,
    })
    await (await createShopper()).order(orderParams)
    expect(await (await createShopper()).buy({ ...orderParams, method: 'card' })).toMatchObject({ code: 200 })
    const before = startsAt(shared)
    const { visitor, email } = await createShopper()
    const body = { kind: 'episode' as const, gateway: 'sandbox' as const, email, ...orderParams }
    const refused = await visitor.call(createOrder, { body })
    expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true])
    expect((await tryChangeMethod(subscriber, { gateway: 'sandbox', method: 'wallet' })).code).toBe(429)
    expect(startsAt(shared)).toBe(before)
  } finally {
    await shared.close()
  }
})

describe('at the gateways', () => {
  let gateways: GatewaySite
  let episode_id: string | undefined
  beforeAll(async () => {
    gateways = await startGatewaySite()
    episode_id = (await buildVideo(gateways.site.context)).episodes[3]?.id
  })
  afterAll(() => gateways.close())

  const attempts = async (orderId: string) => {
    const rows = gateways.site.context.db.selectFrom('payment_attempts').select('status')
    return (await rows.where('order_id', '=', orderId).execute()).length
  }

  test('payments that are cancelled at PayPal count towards the limit of an order, but are not recorded as failed', async () => {
    const { site: shop, paypal } = gateways
    const shopper = await Shopper.create(shop)
    const order = await shopper.order({ gateway: 'paypal', method: 'wallet', episode_id })
    let { next } = order
    const codes = []
    for (const _ of tries) {
      const token = new URL(next.url ?? '').searchParams.get('token') ?? ''
      await shopper.visitor.fetch(`/api/webhook/payment/paypal-cancel?token=${token}`)
      const answer = await shopper.tryPay(order.id, undefined)
      codes.push(answer.code)
      next = answer.info?.next ?? next
    }
    expect(codes).toEqual([...Array(19).fill(200), ...Array(6).fill(409)])
    expect(await attempts(order.id)).toBe(20)
    expect(await auditedOf(shop, shopper)).toEqual([])
    const requestCount = paypal.requests.length
    expect((await shopper.tryPay(order.id, undefined)).code).toBe(409)
    expect(paypal.requests.length).toBe(requestCount)
  })

  test('an order at Stripe creates at most twenty payments, even with invalid tokens', async () => {
    const { site: shop, stripe } = gateways
    const shopper = await Shopper.create(shop)
    const order = await shopper.order({ gateway: 'stripe', episode_id })
    for (const number of tries) await shopper.tryPay(order.id, `x${number}`)
    expect(await attempts(order.id)).toBe(20)
    expect(await auditedOf(shop, shopper)).toEqual([])
    const requestCount = stripe.requests.length
    expect((await shopper.tryPay(order.id, 'x')).code).toBe(409)
    expect(stripe.requests.length).toBe(requestCount)
  })
})
