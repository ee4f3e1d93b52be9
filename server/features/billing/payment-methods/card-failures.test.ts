import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createOrder, payOrder, type Order } from '#contract/billing.ts'
import { startFakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { attemptsOf, startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import type { Payment } from '#server/features/billing/gateways/gateway.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { startTestSite } from '#server/testing/site/test-site.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

async function pay(shopper: Shopper, order_id: string) {
  const payment_token = await shopper.cardToken()
  const body = { order_id, payment_token, first_name: 'Ada', last_name: 'Lovelace' }
  return shopper.visitor.call(payOrder, { body })
}

test('a sixth card within an hour is not tried after five declined cards of the same user', async () => {
  const [shopper, other] = [await Shopper.create(site), await Shopper.create(site)]
  const episode = (index: number) => ({ episode_id: site.video.episodes[index]?.id })
  const one = await shopper.order(episode(3))
  for (let tries = 0; tries < 4; tries++) {
    const answer = await shopper.tryPay(one.id, await shopper.cardToken(testCards.declined))
    expect(answer).toMatchObject({ code: 500, message: /declined/ })
  }
  expect(await shopper.buy(episode(4), testCards.declined)).toMatchObject({ code: 500 })
  const refused = await pay(shopper, one.id)
  expect([refused.status, refused.answer.code]).toEqual([429, 429])
  const wait = Number(refused.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(3_500)
  expect(wait).toBeLessThanOrEqual(3_600)
  expect(await other.buy(episode(3))).toMatchObject({ code: 200, info: { status: 'paid' } })
  site.advanceClock((wait + 1) * 1000)
  expect((await pay(shopper, one.id)).answer).toMatchObject({ code: 200, info: { status: 'paid' } })
})

test('concurrent payments with declined cards from one network do not exceed the limit of the network', async () => {
  const shared = await startBillingSite({ RATE_LIMIT_CARD_FAILURES_PER_IP: '1/h' })
  try {
    const orderParams = { episode_id: shared.video.episodes[3]?.id }
    const people = await Promise.all(Array.from({ length: 4 }, () => Shopper.create(shared)))
    const orders = await Promise.all(people.map((person) => person.order(orderParams)))
    const tokens = await Promise.all(people.map((person) => person.cardToken(testCards.declined)))
    const tries = people.map(({ visitor }, index) =>
      visitor.call(payOrder, {
        body: {
          order_id: orders[index]?.id ?? '',
          payment_token: tokens[index] ?? '',
          first_name: 'Ada',
          last_name: 'Lovelace',
        },
      }),
    )
    const codes = (await Promise.all(tries)).map(({ answer }) => answer.code)
    expect(codes.toSorted()).toEqual([429, 429, 429, 500])
  } finally {
    await shared.close()
  }
})

test.each([
  ['unknown', () => Promise.reject(new Error('the line broke'))],
  ['processing', (payment: Payment) => Promise.resolve({ ...payment, status: 'processing' as const })],
])(
  'a card whose payment is %s counts towards the limits of its user and its network',
  async (status, respond) => {
    const shared = await startBillingSite({
      RATE_LIMIT_CARD_FAILURES_PER_USER: '1/h',
      RATE_LIMIT_CARD_FAILURES_PER_IP: '2/h',
    })
    onTestFinished(() => shared.close())
    shared.gatewayOverrides.createPayment = async (charge) =>
      respond(await shared.sandboxGateway.createPayment(charge))
    const buy = async (shopper: Shopper, index: number) => {
      const { id } = await shopper.order({ episode_id: shared.video.episodes[index]?.id })
      return { id, code: (await pay(shopper, id)).answer.code }
    }
    const shopper = await Shopper.create(shared)
    const { id } = await buy(shopper, 3)
    expect(await attemptsOf(shared, id)).toMatchObject([{ status }])
    expect(await buy(shopper, 4)).toMatchObject({ code: 429 })
    expect((await buy(await Shopper.create(shared), 3)).code).not.toBe(429)
    expect(await buy(await Shopper.create(shared), 3)).toMatchObject({ code: 429 })
  },
)

test('a successful card does not count against the limit of its network', async () => {
  const shared = await startBillingSite({ RATE_LIMIT_CARD_FAILURES_PER_IP: '1/h' })
  try {
    const orderParams = { episode_id: shared.video.episodes[3]?.id }
    for (let person = 0; person < 3; person++)
      expect(await (await Shopper.create(shared)).buy(orderParams)).toMatchObject({ code: 200 })
  } finally {
    await shared.close()
  }
})

test('no user of a network with too many failed cards can pay until the limit expires', async () => {
  const shared = await startBillingSite({ RATE_LIMIT_CARD_FAILURES_PER_IP: '2/h' })
  try {
    const orderParams = { episode_id: shared.video.episodes[3]?.id }
    for (let person = 0; person < 2; person++) {
      const shopper = await Shopper.create(shared)
      expect(await shopper.buy(orderParams, testCards.declined)).toMatchObject({
        code: 500,
        message: /declined/,
      })
    }
    const shopper = await Shopper.create(shared)
    const order = await shopper.order(orderParams)
    const payment_token = await shopper.cardToken()
    const body = { order_id: order.id, payment_token, first_name: 'Ada', last_name: 'Lovelace' }
    const refused = await shopper.visitor.call(payOrder, { body })
    expect(refused.status).toBe(429)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait).toBeGreaterThan(3_500)
    shared.advanceClock((wait + 1) * 1000)
    expect((await shopper.visitor.call(payOrder, { body })).answer).toMatchObject({ code: 500 })
    expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({ code: 200 })
  } finally {
    await shared.close()
  }
})

/** Creates a site on which browsers send cards directly to the gateway. */
async function stripeSite(limits: Record<string, string>) {
  const fake = await startFakeStripe({ now: () => new Date() })
  const shop = await startTestSite({}, { ...fake.env, ...limits })
  const { episodes } = await buildVideo(shop.context)
  const orderParams = (index: number) => ({ gateway: 'stripe' as const, episode_id: episodes[index]?.id })
  const secretOf = ({ next }: Order) => next.client_secret ?? ''
  return {
    shop,
    orderParams,
    /** Sends a declined card to the gateway. The browser does not return; only the gateway notifies the site. */
    async decline(order: Order) {
      await fake.confirm(secretOf(order), testCards.declined)
      const id = secretOf(order).split('_secret_')[0] ?? ''
      const event = { id: `evt_${id}`, type: 'payment_intent.payment_failed' }
      const { body, headers } = fake.sign({ ...event, data: { object: { id, object: 'payment_intent' } } })
      await shop
        .visitor()
        .fetch('/api/webhook/payment/stripe', { method: 'POST', body: body.toString(), headers })
      const attempt = () =>
        shop.context.db
          .selectFrom('payment_attempts')
          .select('status')
          .where('order_id', '=', order.id)
          .executeTakeFirst()
      await expect.poll(attempt).toEqual({ status: 'failed' })
    },
    async tryOrder(shopper: Shopper, index: number) {
      const body = { kind: 'episode' as const, email: shopper.email, ...orderParams(index) }
      return (await shopper.visitor.call(createOrder, { body })).answer.code
    },
    async close() {
      await shop.close()
      await fake.close()
    },
  }
}

test('a card that only the webhook event reports as failed counts towards the limit of its network', async () => {
  const { shop, orderParams, decline, tryOrder, close } = await stripeSite({
    RATE_LIMIT_CARD_FAILURES_PER_IP: '2/h',
  })
  try {
    for (let person = 0; person < 2; person++) {
      const shopper = await Shopper.create(shop)
      await decline(await shopper.order(orderParams(3)))
    }
    expect(await tryOrder(await Shopper.create(shop), 3)).toBe(429)
    const { db, clock } = shop.context
    const hashedAttempts = () =>
      db.selectFrom('payment_attempts').select('network_hash').where('network_hash', 'is not', null).execute()
    expect(await hashedAttempts()).toHaveLength(2)
    const later = { now: () => new Date(clock.now().getTime() + 3_601_000) }
    await runJanitor({ ...shop.context, clock: later })
    expect(await hashedAttempts()).toHaveLength(0)
  } finally {
    await close()
  }
})

test('a payment that waits for a card counts towards the limits of its user and its network', async () => {
  const own = await stripeSite({ RATE_LIMIT_CARD_FAILURES_PER_USER: '2/h' })
  const shared = await stripeSite({ RATE_LIMIT_CARD_FAILURES_PER_IP: '2/h' })
  try {
    const shopper = await Shopper.create(own.shop)
    expect([await own.tryOrder(shopper, 3), await own.tryOrder(shopper, 4)]).toEqual([200, 200])
    expect(await own.tryOrder(shopper, 5)).toBe(429)
    expect(await own.tryOrder(await Shopper.create(own.shop), 5)).toBe(200)
    const people = await Promise.all([1, 2, 3, 4].map(() => Shopper.create(shared.shop)))
    const codes = await Promise.all(people.map((person) => shared.tryOrder(person, 3)))
    expect(codes.toSorted()).toEqual([200, 200, 429, 429])
  } finally {
    await own.close()
    await shared.close()
  }
})
