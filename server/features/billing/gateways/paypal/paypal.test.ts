import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { listPlans } from '#contract/billing.ts'
import { getEpisode } from '#contract/media.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { compareGatewayBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { unappliedEvents } from '#server/testing/site/billing-site.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { FakePaypal, type SimulatedFault } from './fake/fake-paypal.ts'

let paypal: FakePaypal
let site: TestSite
let video: BuiltVideo
let offset = 0
const clock = { now: () => new Date(Date.now() + offset) }

beforeAll(async () => {
  paypal = await FakePaypal.start()
  site = await startTestSite({ clock }, paypal.settings)
  video = await buildVideo(site.context)
})
afterAll(async () => {
  await site.close()
  await paypal.close()
})
afterEach(async () => {
  paypal.recover()
  paypal.webhookUrl = undefined
  site.context.gatewayTimeoutMs = undefined
  expect(await ledgerBalance()).toBe(paypal.orders.balance)
})

/** Returns the amount that PayPal should hold for us according to our ledger, in cents. */
async function ledgerBalance(): Promise<number> {
  const { total } = await site.context.db
    .selectFrom('ledger_lines')
    .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('amount_cents'), eb.val(0)).as('total'))
    .where('account', '=', 'gateway:paypal')
    .executeTakeFirstOrThrow()
  return Number(total)
}

const hook = () => `${site.url}/api/webhook/payment/paypal`
const orderParams = () => ({
  episode_id: video.episodes[3]?.id,
  gateway: 'paypal' as const,
  method: 'wallet' as const,
})

/**
 * Creates an order whose shopper is redirected to PayPal.
 * @returns the shopper, the order, and PayPal's id of the payment
 */
async function createRedirectedOrder(more: object = {}) {
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ ...orderParams(), ...more })
  const url = order.next.url ?? ''
  return { shopper, order, url, token: new URL(url).searchParams.get('token') ?? '' }
}

/** Submits the user's choice on PayPal's page. @returns the URL to which PayPal redirects */
async function answer(url: string, choice: 'yes' | 'no'): Promise<URL> {
  const body = new URLSearchParams({ answer: choice })
  const response = await fetch(url, { method: 'POST', body, redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '')
}

async function stateOf(orderId: string) {
  const { db } = site.context
  const query = db
    .selectFrom('orders')
    .innerJoin('payment_attempts', 'payment_attempts.order_id', 'orders.id')
  return query
    .select(['orders.status as order', 'payment_attempts.status as attempt', 'decline_code as why'])
    .where('orders.id', '=', orderId)
    .orderBy('number', 'desc')
    .executeTakeFirst()
}

async function runJanitorAfter(milliseconds: number) {
  offset += milliseconds
  await runJanitor(site.context)
}

const post = ({ body, headers }: { body: Buffer; headers: Record<string, string> }) =>
  fetch(hook(), { method: 'POST', body: body.toString(), headers })

/** Returns PayPal's event of the given type that mentions the given id. */
function eventOf(token: string, type: string) {
  const found = paypal.events.find(
    ({ event_type, resource }) => event_type === type && JSON.stringify(resource).includes(token),
  )
  if (!found) throw new Error(`there was no ${type}`)
  return found
}

describe('an episode at PayPal', () => {
  test('is paid when the buyer returns after approving the payment', async () => {
    const { shopper, order, url } = await createRedirectedOrder()
    expect(order).toMatchObject({ status: 'pending', next: { type: 'redirect' } })
    expect(url.startsWith(`${paypal.url}/checkoutnow`)).toBe(true)
    const back = await answer(url, 'yes')
    expect(back.pathname).toBe('/api/webhook/payment/paypal-return')
    // The buyer may return in a browser that does not have the session.
    const home = await site.visitor().fetch(back.pathname + back.search)
    expect([home.status, home.headers.get('location')]).toEqual([303, `/order/result?order_id=${order.id}`])
    expect(await stateOf(order.id)).toMatchObject({ order: 'paid', attempt: 'succeeded' })
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })

  test('is not charged if the buyer cancels the payment, even if the buyer approves it afterwards', async () => {
    const { shopper, order, url, token } = await createRedirectedOrder()
    const back = await answer(url, 'no')
    expect(back.pathname).toBe('/api/webhook/payment/paypal-cancel')
    for (const _ of [1, 2]) {
      const redirect = await site.visitor().fetch(back.pathname + back.search)
      expect([redirect.status, redirect.headers.get('location')]).toEqual([
        303,
        `/order/result?order_id=${order.id}`,
      ])
    }
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'pending',
      declined: { reason: 'paymentCancelled' },
    })
    paypal.webhookUrl = hook()
    paypal.orders.approve(token)
    await paypal.flushEvents()
    await runJanitorAfter(60_000)
    expect(paypal.count(new RegExp(`POST .*/${token}/capture`))).toBe(0)
    expect(await stateOf(order.id)).toMatchObject({ order: 'pending', attempt: 'cancelled' })
  })

  test('is paid if the buyer approves the payment and returns by the cancel URL', async () => {
    const { order, url, token } = await createRedirectedOrder()
    await answer(url, 'yes')
    await site.visitor().fetch(`/api/webhook/payment/paypal-cancel?token=${token}`)
    expect(await stateOf(order.id)).toMatchObject({ order: 'paid', attempt: 'succeeded' })
  })

  test("is paid once by PayPal's webhook event if the buyer does not return and the event is delivered repeatedly", async () => {
    const { order, token } = await createRedirectedOrder()
    paypal.orders.approve(token)
    const approved = eventOf(token, 'CHECKOUT.ORDER.APPROVED')
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => post(paypal.signed(approved))))
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
    await expect.poll(() => stateOf(order.id)).toMatchObject({ order: 'paid', attempt: 'succeeded' })
    await post(paypal.signed(eventOf(token, 'PAYMENT.CAPTURE.COMPLETED')))
    expect(paypal.orders.get(token).captures).toHaveLength(1)
  })

  test('is paid only when PayPal completes the pending payment', async () => {
    const { shopper, order, token } = await createRedirectedOrder()
    paypal.orders.approve(token, 'pending')
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'pending', next: { type: 'none' } })
    expect(await stateOf(order.id)).toMatchObject({ attempt: 'processing' })
    paypal.webhookUrl = hook()
    paypal.orders.decideCaptures(token, 'COMPLETED')
    await paypal.flushEvents()
    await expect.poll(() => stateOf(order.id)).toMatchObject({ order: 'paid' })
  })

  test('is not charged if the wallet declines the payment', async () => {
    const { shopper, order, token } = await createRedirectedOrder()
    paypal.orders.approve(token, 'declined')
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'pending',
      declined: { reason: 'paymentFailed' },
    })
    expect(await stateOf(order.id)).toMatchObject({ attempt: 'failed', why: 'wallet_declined' })
  })

  test('is refunded once if it was paid twice', async () => {
    const { shopper, order, token } = await createRedirectedOrder()
    const second = await shopper.order(orderParams())
    const before = paypal.orders.balance
    for (const url of [order.next.url, second.next.url]) await answer(url ?? '', 'yes')
    expect(await shopper.getOrder(second.id)).toMatchObject({ status: 'paid' })
    await shopper.getOrder(order.id)
    await runJanitorAfter(60_000)
    expect(paypal.orders.balance - before).toBe(order.amount_cents)
    expect(paypal.orders.get(token).refunds).toHaveLength(1)
    // PayPal's refund event contains the id of the capture, not the id of the order.
    const refundEvent = eventOf(paypal.orders.get(token).captures[0]?.id ?? '', 'PAYMENT.CAPTURE.REFUNDED')
    expect((await post(paypal.signed(refundEvent))).status).toBe(204)
    const { db } = site.context
    const eventQuery = db
      .selectFrom('webhook_events')
      .select('reference')
      .where('event_id', '=', refundEvent.id)
    expect(await eventQuery.executeTakeFirst()).toEqual({ reference: token })
  })

  test('has a failed payment attempt if PayPal has deleted the order', async () => {
    const { order, token } = await createRedirectedOrder()
    paypal.orders.all.delete(token)
    await runJanitorAfter(60_000)
    expect(await stateOf(order.id)).toMatchObject({ attempt: 'requires_action' })
    await runJanitorAfter(2 * 3_600_000)
    expect(await stateOf(order.id)).toMatchObject({ attempt: 'failed', why: 'not_received' })
  })
})

test.each([
  [150, 'JPY', false],
  [30_000, 'JPY', true],
  [50_050, 'HUF', false],
  [999, 'XAF', false],
  [999, 'EUR', true],
])('%d hundredths of %s can be paid at PayPal: %s', async (cents, currency, payable) => {
  const { db } = site.context
  const { id, episodes } = await buildVideo(site.context)
  const price = { episode_cents: cents, currency }
  await db.updateTable('videos').set(price).where('id', '=', id).execute()
  const shopper = await Shopper.create(site)
  const answer = await shopper.tryOrder({ ...orderParams(), episode_id: episodes[3]?.id })
  const refused = { code: 500, message: /isn’t available here/ }
  expect(answer).toMatchObject(payable ? { code: 200, info: { next: { type: 'redirect' } } } : refused)
  const orders = await db.selectFrom('orders').select('id').where('video_id', '=', id).execute()
  expect(orders).toHaveLength(payable ? 1 : 0)
})

describe('a plan at PayPal', () => {
  test('is paid, and PayPal saves the wallet for the renewals', async () => {
    const { list } = await site.visitor().callOk(listPlans)
    const { shopper, order, token } = await createRedirectedOrder({
      kind: 'plan',
      episode_id: undefined,
      plan_id: list[0]?.id,
    })
    paypal.orders.approve(token)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    const { reference } = await site.context.db
      .selectFrom('subscriptions')
      .innerJoin('orders', 'orders.subscription_id', 'subscriptions.id')
      .innerJoin('payment_methods', 'payment_methods.id', 'payment_method_id')
      .select('reference')
      .where('orders.id', '=', order.id)
      .executeTakeFirstOrThrow()
    expect(paypal.orders.vault.get(reference)).toBe('pays')
  })

  test('has its introductory price once per wallet, even if another user pays with the wallet', async () => {
    const { list } = await site.visitor().callOk(listPlans)
    const plan_id = list.find(({ intro_price_cents }) => intro_price_cents !== undefined)?.id
    const subscribe = async (payer: string) => {
      const { shopper, order, token } = await createRedirectedOrder({
        kind: 'plan',
        episode_id: undefined,
        plan_id,
      })
      paypal.orders.approve(token, 'pays', payer)
      const { status } = await shopper.getOrder(order.id)
      return { status, refunds: paypal.orders.get(token).refunds.length }
    }
    expect(await subscribe('ADASWALLET222')).toEqual({ status: 'paid', refunds: 0 })
    expect(await subscribe('ADASWALLET222')).toEqual({ status: 'cancelled', refunds: 1 })
    expect(await subscribe('ALANSWALLET22')).toEqual({ status: 'paid', refunds: 0 })
  })
})

describe('a paid order at PayPal', () => {
  const playing = async (shopper: Shopper) => {
    const query = { episode_id: orderParams().episode_id ?? '' }
    return (await shopper.visitor.call(getEpisode, { query })).answer.code
  }
  /** Creates a paid episode, and lets the site receive PayPal's events. */
  async function createPaidOrder() {
    const { shopper, order, token } = await createRedirectedOrder()
    paypal.orders.approve(token)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    paypal.webhookUrl = hook()
    const captureId = paypal.orders.get(token).captures[0]?.id ?? ''
    return { shopper, order, token, captureId }
  }
  const expectOrderState = async (shopper: Shopper, orderId: string, expected: object) => {
    await paypal.flushEvents()
    // An order may have the expected state before its events are applied.
    await expect.poll(() => unappliedEvents(site)).toEqual([])
    await expect.poll(() => shopper.getOrder(orderId)).toMatchObject(expected)
    const [gateway] = site.context.gateways
    const balances = gateway && (await compareGatewayBalance(site.context.db, gateway))
    expect(balances?.gatewayCents).toBe(balances?.ledgerCents)
    expect(balances?.gatewayCents).toBe(paypal.orders.balance)
  }

  test('is partially and then fully refunded by an operator', async () => {
    const { shopper, order } = await createPaidOrder()
    await refundOrder(site.context, order.id, { amountCents: 40, reason: 'goodwill' })
    await expectOrderState(shopper, order.id, { status: 'partially_refunded', refunded_cents: 40 })
    expect(await playing(shopper)).toBe(200)
    await refundOrder(site.context, order.id, { reason: 'goodwill' })
    await expectOrderState(shopper, order.id, { status: 'refunded', refunded_cents: 99 })
    expect(await playing(shopper)).toBe(402)
  })

  test('becomes refunded after a refund at PayPal, and paid again if that refund fails', async () => {
    const { shopper, order, token, captureId } = await createPaidOrder()
    paypal.orders.refund(captureId, { amount: { currency_code: 'USD', value: '0.99' } })
    await expectOrderState(shopper, order.id, { status: 'refunded', refunded_cents: 99 })
    paypal.orders.failRefunds(token)
    await expectOrderState(shopper, order.id, { status: 'paid', refunded_cents: 0 })
    expect(await playing(shopper)).toBe(200)
  })

  test.each([
    ['paid', 'won', 200],
    ['charged_back', 'lost', 402],
  ] as const)(
    'is %s after its dispute is %s, even if PayPal sends the event about the opened dispute again',
    async (status, end, code) => {
      const { shopper, order, token, captureId } = await createPaidOrder()
      paypal.orders.dispute(token, 'open', clock.now())
      await expectOrderState(shopper, order.id, { status: 'charged_back' })
      expect(await playing(shopper)).toBe(402)
      const opened = eventOf(captureId, 'CUSTOMER.DISPUTE.CREATED')
      paypal.orders.dispute(token, end, clock.now())
      // Sends the event about the opened dispute after the event about its end.
      await Promise.all([1, 2, 3, 4, 5].map(() => post(paypal.signed(opened))))
      await expectOrderState(shopper, order.id, { status })
      expect(await playing(shopper)).toBe(code)
    },
  )
})

describe('a webhook event of PayPal', () => {
  test.each([
    ['forged', { signer: 'somebody else' }, ''],
    ['stale', { at: new Date(Date.now() - 5 * 86_400_000) }, ''],
    ['altered', {}, ' '],
  ])('is refused and changes nothing if it is %s', async (_, how, more) => {
    const { order, token } = await createRedirectedOrder()
    paypal.orders.approve(token)
    const { body, headers } = paypal.signed(eventOf(token, 'CHECKOUT.ORDER.APPROVED'), how)
    expect((await post({ body: Buffer.concat([body, Buffer.from(more)]), headers })).status).toBe(400)
    expect(await stateOf(order.id)).toMatchObject({ order: 'pending', attempt: 'requires_action' })
  })

  test('is answered with an error while PayPal cannot verify it, so that PayPal sends it again', async () => {
    const { order, token } = await createRedirectedOrder()
    paypal.orders.approve(token)
    const sent = paypal.signed(eventOf(token, 'CHECKOUT.ORDER.APPROVED'))
    paypal.fault = { on: /verify/, with: ['500 before'] }
    expect((await post(sent)).status).toBe(500)
    paypal.recover()
    expect((await post(sent)).status).toBe(204)
    await expect.poll(() => stateOf(order.id)).toMatchObject({ order: 'paid' })
  })
})

describe('a request to PayPal', () => {
  test.each<SimulatedFault>([
    '429',
    '500 before',
    '500 after',
    'dropped before',
    'dropped after',
    'time-out',
  ])('neither loses nor doubles a payment if it captures the payment and fails: %s', async (fault) => {
    const { shopper, order, token } = await createRedirectedOrder()
    paypal.orders.approve(token)
    paypal.fault = { on: /capture$/, with: [fault] }
    site.context.gatewayTimeoutMs = 300
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'pending',
      next: { type: 'redirect' },
    })
    paypal.recover()
    site.context.gatewayTimeoutMs = undefined
    await runJanitorAfter(60_000)
    expect(await stateOf(order.id)).toMatchObject({ order: 'paid', attempt: 'succeeded' })
    expect(paypal.orders.get(token).captures).toHaveLength(1)
  })

  test.each<SimulatedFault>(['500 before', '500 after', 'dropped before', 'dropped after'])(
    'is repeated if it creates an order and fails once (%s), and one order is created',
    async (fault) => {
      const before = paypal.orders.all.size
      paypal.fault = { on: /orders$/, with: [fault, 'none'] }
      const { order } = await createRedirectedOrder()
      expect(order.next.type).toBe('redirect')
      expect(paypal.orders.all.size - before).toBe(1)
    },
  )

  test('can be made again by the user after a minute if it creates an order and its response is lost', async () => {
    const shopper = await Shopper.create(site)
    paypal.fault = { on: /orders$/, with: ['dropped after'] }
    const key = { 'idempotency-key': 'an order that was lost' }
    expect(await shopper.tryOrder(orderParams(), key)).toMatchObject({
      code: 500,
      message: /won’t be charged twice/,
    })
    paypal.recover()
    offset += 61_000
    expect(await shopper.tryOrder(orderParams(), key)).toMatchObject({
      code: 200,
      info: { next: { type: 'redirect' } },
    })
  })

  test('gets one new access token if the token was revoked', async () => {
    await createRedirectedOrder()
    const before = paypal.count(/oauth2/)
    paypal.revokeTokens()
    const { order } = await createRedirectedOrder()
    expect([order.next.type, paypal.count(/oauth2/) - before]).toEqual(['redirect', 1])
  })
})
