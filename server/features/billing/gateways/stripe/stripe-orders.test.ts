import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  getSavedPaymentMethod,
  listPlans,
  removeSavedPaymentMethod,
  type Order,
  type SavedPaymentMethod,
} from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { getEpisode } from '#contract/media.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { loadReconciliation } from '#server/features/billing/admin/load-reconciliation.ts'
import { reconcile } from '#server/features/billing/reconciliation/reconcile.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { renewDueSubscriptions } from '#server/features/billing/jobs/renew-due-subscriptions.ts'
import { compareGatewayBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { dictOf } from '#server/testing/fakes/fake-stripe-store.ts'
import { startFakeStripe, type FakeStripe } from '#server/testing/fakes/fake-stripe.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { unappliedEvents } from '#server/testing/site/billing-site.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'

let fake: FakeStripe
let site: TestSite
let video: BuiltVideo
let offset = 0

beforeAll(async () => {
  const clock = { now: () => new Date(Date.now() + offset) }
  fake = await startFakeStripe(clock)
  site = await startTestSite({ clock }, fake.env)
  video = await buildVideo(site.context)
})
afterAll(async () => {
  await site.close()
  await fake.close()
})
afterEach(() => {
  site.context.gatewayTimeoutMs = undefined
  expect([...fake.keys].filter(([, times]) => times > 1)).toEqual([])
})

const orderParams = (number = 4) => ({
  gateway: 'stripe' as const,
  episode_id: video.episodes[number - 1]?.id,
})
const secretOf = (order: Order | undefined) => order?.next.client_secret ?? ''
/** Returns all payments of an order at Stripe, including unpaid ones. */
const intentsOf = (orderId: string) =>
  [...fake.store.intents.values()].filter(({ metadata }) => dictOf(metadata)['order_id'] === orderId)
/** Returns the payment's id, which is the beginning of the payment's secret. */
const referenceOf = (order: Order | undefined) => secretOf(order).split('_secret_')[0] ?? ''

/** Creates an order, sends the card to Stripe as the browser does, and notifies the site. */
async function buy(shopper: Shopper, card = testCards.pays, params: object = orderParams()) {
  const order = await shopper.order(params)
  await fake.confirm(secretOf(order), card)
  return { order, answer: await shopper.tryPay(order.id, referenceOf(order)) }
}

test('the offer has the key for Stripe’s script, and an order has the secret of its payment', async () => {
  const shopper = await Shopper.create(site)
  const { gateways } = await shopper.visitor.callOk(listPlans)
  expect(gateways).toEqual([{ id: 'stripe', kind: 'card', public_key: 'pk_test_fake' }])
  const order = await shopper.order(orderParams())
  expect(order.next).toEqual({ type: 'card_form', client_secret: expect.stringMatching(/^pi_\w+_secret_/) })
  expect(fake.store.intent(referenceOf(order))).toMatchObject({
    amount: 99,
    metadata: { order_id: order.id },
  })
})

test('a declined card shows the reason and ends its payment, and another card then pays', async () => {
  const shopper = await Shopper.create(site)
  const { order, answer } = await buy(shopper, testCards.noFunds)
  expect(answer).toMatchObject({ code: 500, message: expect.stringContaining('Insufficient funds') })
  const pending = await shopper.getOrder(order.id)
  expect(pending).toMatchObject({
    status: 'pending',
    next: { type: 'card_form' },
    declined: { reason: 'insufficientFunds' },
  })
  expect(await fake.confirm(secretOf(order), testCards.pays)).toBe(400)
  const again = await shopper.tryPay(order.id, undefined)
  expect(again).toMatchObject({ code: 200, info: { status: 'pending', next: { type: 'card_form' } } })
  await fake.confirm(secretOf(again.info), testCards.pays)
  expect(await shopper.tryPay(order.id, referenceOf(again.info))).toMatchObject({
    code: 200,
    info: { status: 'paid', next: { type: 'none' } },
  })
})

test.each([
  ['yes', 'paid', {}],
  ['no', 'pending', { declined: { reason: 'bankAuthenticationFailed' } }],
] as const)(
  'after the answer %s to the 3-D Secure challenge, the order is %s',
  async (bankAnswer, status, more) => {
    const shopper = await Shopper.create(site)
    const { order, answer } = await buy(shopper, testCards.requires3dsAlways)
    const { client_secret } = order.next
    expect(answer).toMatchObject({ code: 200, info: { next: { type: 'authenticate', client_secret } } })
    fake.store.answerChallenge(referenceOf(order), bankAnswer)
    expect(await shopper.getOrder(order.id)).toMatchObject({ status, ...more })
  },
)

test.each(['ann@example', 'm\u00fcller@example.com'])(
  'the e-mail address is named as the field to correct if Stripe refuses it: %s',
  async (email) => {
    const shopper = await Shopper.create(site)
    const answer = await shopper.tryOrder({ ...orderParams(), email })
    expect(answer).toMatchObject({ code: 500, info: { field: 'email' } })
  },
)

test('a repeated request for the next step returns the same payment and charges nothing', async () => {
  const shopper = await Shopper.create(site)
  const order = await shopper.order(orderParams())
  const again = await shopper.tryPay(order.id, undefined)
  expect(again.info?.next).toEqual(order.next)
  expect(await shopper.tryPay(order.id, referenceOf(order))).toMatchObject({ info: { status: 'pending' } })
})

test('a payment of another user does not pay an order', async () => {
  const [one, other] = [await Shopper.create(site), await Shopper.create(site)]
  const { order: paid } = await buy(one)
  const order = await other.order(orderParams())
  const answer = await other.tryPay(order.id, referenceOf(paid))
  expect(answer.info).toMatchObject({ status: 'pending' })
  expect(await other.tryPay(paid.id, referenceOf(paid))).toMatchObject({ code: 404 })
})

test('an episode below Stripe’s minimum is not offered at Stripe, but its video is', async () => {
  const { db } = site.context
  await db.updateTable('videos').set({ episode_cents: 30 }).where('id', '=', video.id).execute()
  const shopper = await Shopper.create(site)
  const query = { episode_id: video.episodes[3]?.id ?? '' }
  const { answer } = await shopper.visitor.call(getEpisode, { query })
  expect(answer.info).toMatchObject({ gateways: [{ id: 'stripe', unsupported_products: ['episode'] }] })
  await db.updateTable('videos').set({ episode_cents: 99 }).where('id', '=', video.id).execute()
})

test('the card of a plan is saved, and the card of a one-off purchase only with consent', async () => {
  const shopper = await Shopper.create(site)
  const { answer } = await buy(shopper, testCards.pays, {
    gateway: 'stripe',
    kind: 'plan',
    plan_id: (await shopper.plan(30)).id,
  })
  expect(answer).toMatchObject({ info: { status: 'paid' } })
  const other = await Shopper.create(site)
  await buy(other)
  const { id, membership } = await shopper.visitor.callOk(getUser)
  expect(membership).toMatchObject({ state: 'subscribed' })
  const users = [id, (await other.visitor.callOk(getUser)).id]
  const rows = site.context.db.selectFrom('payment_methods').selectAll()
  const methods = await rows.where('user_id', 'in', users).execute()
  expect(methods).toMatchObject([{ user_id: id, gateway: 'stripe', brand: 'visa', last4: '4242' }])
  expect(methods[0]?.reference).toMatch(/^cus_\w+\/pm_\w+$/)
})

describe('a card that was saved with a purchase', () => {
  const save_method = { terms_text: 'Save this card' }

  async function savedBy(card: string) {
    const shopper = await Shopper.create(site)
    const order = await shopper.order({ ...orderParams(), save_method })
    await fake.confirm(secretOf(order), card)
    const intent = fake.store.intent(referenceOf(order))
    if (intent.status === 'requires_action') fake.store.answerChallenge(intent.id, 'yes')
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    const { saved_method } = await shopper.visitor.callOk(getSavedPaymentMethod)
    return { shopper, saved: saved_method, intent }
  }
  const buyWithSavedCard = (shopper: Shopper, saved: SavedPaymentMethod | null) =>
    shopper.tryOrder({ ...orderParams(5), saved_method_id: saved?.id, email: undefined })

  test('pays for the next purchase in one call, with one request to Stripe, as a customer-initiated payment', async () => {
    const { shopper, saved, intent } = await savedBy(testCards.pays)
    expect(intent.setup_future_usage).toBe('off_session')
    expect(saved).toMatchObject({ gateway: 'stripe', brand: 'visa', last4: '4242' })
    const { info } = await buyWithSavedCard(shopper, saved)
    expect(info).toMatchObject({ status: 'paid' })
    const [paid, ...others] = intentsOf(info?.id ?? '')
    expect(paid).toMatchObject({ payment_method: intent.payment_method, setup_future_usage: null })
    expect(others).toEqual([])
    const created = fake.requests.filter(
      ({ method, path }) => method === 'POST' && path === '/v1/payment_intents',
    )
    expect(created.at(-1)?.params).toMatchObject({ confirm: 'true', use_stripe_sdk: 'true' })
    expect(created.at(-1)?.params).not.toHaveProperty('off_session')
  })

  test("waits for the 3-D Secure challenge, which Stripe's script shows", async () => {
    const { shopper, saved } = await savedBy(testCards.requires3dsAlways)
    const { info } = await buyWithSavedCard(shopper, saved)
    expect(info?.next).toEqual({
      type: 'authenticate',
      client_secret: expect.stringMatching(/^pi_\w+_secret_/),
    })
    fake.store.answerChallenge(referenceOf(info), 'no')
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({
      declined: { reason: 'bankAuthenticationFailed' },
    })
    const again = (await buyWithSavedCard(shopper, saved)).info
    expect(again?.id).toBe(info?.id)
    fake.store.answerChallenge(referenceOf(again), 'yes')
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({ status: 'paid' })
  })

  test('is detached at Stripe when the user removes it, and cannot pay afterwards', async () => {
    const { shopper, saved, intent } = await savedBy(testCards.pays)
    expect(fake.store.attachedMethodIds).toContain(intent.payment_method)
    await shopper.visitor.callOk(removeSavedPaymentMethod, { body: { id: saved?.id ?? '' } })
    offset += 60_000
    await runJanitor(site.context)
    expect(fake.store.attachedMethodIds).not.toContain(intent.payment_method)
    expect(await buyWithSavedCard(shopper, saved)).toMatchObject({ code: 500, message: /no longer/ })
  })
})

test('a card gets an introductory price once, even if another user pays with it', async () => {
  const subscribe = async (card: string) => {
    const shopper = await Shopper.create(site)
    const plan = await shopper.plan(7)
    const bought = await buy(shopper, card, { gateway: 'stripe', kind: 'plan', plan_id: plan.id })
    return { ...bought, status: (await shopper.getOrder(bought.order.id)).status }
  }
  const first = await subscribe('4000056655665556')
  expect(first).toMatchObject({ status: 'paid', order: { amount_cents: 499 } })
  const second = await subscribe('4000056655665556')
  expect(second).toMatchObject({ status: 'cancelled', answer: { code: 409 } })
  expect(
    fake.store.refunds.filter(({ payment_intent }) => payment_intent === referenceOf(second.order)),
  ).toMatchObject([{ amount: 499 }])
  expect(await subscribe('5555555555554444')).toMatchObject({ status: 'paid' })
})

test('a payment for something already owned is refunded at Stripe', async () => {
  const shopper = await Shopper.create(site)
  const [first, second] = [await shopper.order(orderParams()), await shopper.order(orderParams())]
  for (const order of [first, second]) await fake.confirm(secretOf(order), testCards.pays)
  expect(await shopper.getOrder(first.id)).toMatchObject({ status: 'paid' })
  await shopper.getOrder(second.id)
  expect(
    fake.store.refunds.filter(({ payment_intent }) => payment_intent === referenceOf(second)),
  ).toMatchObject([{ amount: 99 }])
  expect(fake.store.refunds.some(({ payment_intent }) => payment_intent === referenceOf(first))).toBe(false)
})

test('an amount that Stripe does not accept is refused, and no order is created', async () => {
  const { db } = site.context
  const { id } = await buildVideo(site.context)
  await db.updateTable('videos').set({ episode_cents: 49 }).where('id', '=', id).execute()
  const { id: episodeId } = await db
    .selectFrom('episodes')
    .select('id')
    .where('video_id', '=', id)
    .where('number', '=', 4)
    .executeTakeFirstOrThrow()
  const shopper = await Shopper.create(site)
  expect(await shopper.tryOrder({ gateway: 'stripe', episode_id: episodeId })).toMatchObject({
    code: expect.any(Number),
    message: expect.stringContaining('isn’t available here'),
  })
  expect(await db.selectFrom('orders').select('id').where('video_id', '=', id).execute()).toEqual([])
})

describe('a payment request without a response', () => {
  test.each(['dropped after', '500 after', 'time-out'] as const)(
    'with the fault "%s" is found by the janitor and not sent again',
    async (fault) => {
      // The site may have two processes. This shopper calls the process whose timeout is shortened.
      const shopper = await Shopper.create({ ...site, visitor: () => new Visitor(site.directUrl) })
      // Only a request that gets no response needs a short limit. With another fault, a request that exceeded the
      // limit could reach Stripe after the fault has ended.
      if (fault === 'time-out') site.context.gatewayTimeoutMs = 250
      const known = fake.store.intents.size
      const end = fake.fail(fault)
      const key = { 'idempotency-key': `lost by ${fault}` }
      const refused = await shopper.tryOrder(orderParams(), key)
      expect(refused).toMatchObject({ code: 500, message: expect.stringContaining('hasn’t answered') })
      await expect.poll(() => fake.store.intents.size).toBe(known + 1)
      end()
      site.context.gatewayTimeoutMs = undefined
      offset += 15_000
      await runJanitor(site.context)
      const order = await shopper.order(orderParams(), key)
      expect(order.next).toMatchObject({ type: 'card_form', client_secret: expect.any(String) })
      expect(intentsOf(order.id)).toHaveLength(1)
      await fake.confirm(secretOf(order), testCards.pays)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
    },
  )

  test.each(['dropped before', '429'] as const)(
    'with the fault "%s" created no payment, and a retry creates one',
    async (fault) => {
      const shopper = await Shopper.create(site)
      const end = fake.fail(fault)
      const key = { 'idempotency-key': `unsent by ${fault}` }
      expect(await shopper.tryOrder(orderParams(), key)).toMatchObject({ code: 500 })
      end()
      offset += 61_000
      const order = await shopper.order(orderParams(), key)
      await fake.confirm(secretOf(order), testCards.pays)
      expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
      offset += 2 * 60 * 60_000
      await runJanitor(site.context)
      const attempts = await site.context.db
        .selectFrom('payment_attempts')
        .select(['status', 'decline_code'])
        .where('order_id', '=', order.id)
        .orderBy('number')
        .execute()
      expect(attempts).toMatchObject([{ decline_code: 'not_received' }, { status: 'succeeded' }])
    },
  )
})

const send = ({ body, headers }: ReturnType<FakeStripe['sign']>) =>
  site.visitor().fetch('/api/webhook/payment/stripe', { method: 'POST', body: body.toString(), headers })
const statusOf = (id: string) =>
  site.context.db.selectFrom('orders').select('status').where('id', '=', id).executeTakeFirst()

describe('a paid order at Stripe', () => {
  /** Delivers the events from index `since`, each more than once, in reverse order. Returns when they are applied. */
  async function deliverEvents(since: number) {
    const events = fake.events.slice(since).toReversed()
    for (const { id, type, object } of [...events, ...events]) {
      const { status } = await send(fake.sign({ id, object: 'event', type, data: { object } }))
      expect(status).toBe(204)
    }
    await expect.poll(() => unappliedEvents(site)).toEqual([])
  }
  async function createPaidOrder() {
    const shopper = await Shopper.create(site)
    const { order, answer } = await buy(shopper)
    expect(answer).toMatchObject({ info: { status: 'paid' } })
    return { shopper, order, reference: referenceOf(order), since: fake.events.length }
  }
  const expectOrderState = async (shopper: Shopper, orderId: string, expected: object) => {
    await expect.poll(() => shopper.getOrder(orderId)).toMatchObject(expected)
    const [gateway] = site.context.gateways
    const balances = gateway && (await compareGatewayBalance(site.context.db, gateway))
    expect(balances?.gatewayCents).toBe(balances?.ledgerCents)
  }
  const playing = async (shopper: Shopper) => {
    const query = { episode_id: orderParams().episode_id ?? '' }
    return (await shopper.visitor.call(getEpisode, { query })).answer.code
  }

  test('is partially and then fully refunded by an operator', async () => {
    const { shopper, order, since } = await createPaidOrder()
    await refundOrder(site.context, order.id, { amountCents: 40, reason: 'goodwill' })
    await refundOrder(site.context, order.id, { reason: 'goodwill' })
    await deliverEvents(since)
    await expectOrderState(shopper, order.id, { status: 'refunded', refunded_cents: 99 })
    expect(await playing(shopper)).toBe(402)
  })

  test('becomes refunded after a refund at Stripe, and paid again if that refund fails', async () => {
    const { shopper, order, reference, since } = await createPaidOrder()
    fake.store.refund({ payment_intent: reference, amount: '99' })
    await deliverEvents(since)
    await expectOrderState(shopper, order.id, { status: 'refunded', refunded_cents: 99 })
    fake.store.failRefunds(reference)
    await deliverEvents(since)
    await expectOrderState(shopper, order.id, { status: 'paid', refunded_cents: 0 })
    expect(await playing(shopper)).toBe(200)
  })

  test('returns to the status paid if its refund fails at Stripe, and can be refunded again', async () => {
    const { shopper, order, reference, since } = await createPaidOrder()
    await refundOrder(site.context, order.id, { reason: 'goodwill' })
    fake.store.failRefunds(reference)
    await deliverEvents(since)
    await expectOrderState(shopper, order.id, { status: 'paid', refunded_cents: 0 })
    await refundOrder(site.context, order.id, { reason: 'goodwill' })
    await expectOrderState(shopper, order.id, { status: 'refunded', refunded_cents: 99 })
  })

  test.each([
    ['paid', 'won', 200],
    ['charged_back', 'lost', 402],
  ] as const)(
    'loses its access during a dispute, and is %s after the dispute is %s',
    async (status, end, code) => {
      const { shopper, order, reference, since } = await createPaidOrder()
      fake.store.dispute(reference, 'needs_response')
      await deliverEvents(since)
      await expectOrderState(shopper, order.id, { status: 'charged_back' })
      expect(await playing(shopper)).toBe(402)
      fake.store.dispute(reference, end)
      await deliverEvents(since)
      await expectOrderState(shopper, order.id, { status })
      expect(await playing(shopper)).toBe(code)
    },
  )

  test('stays disputed and becomes a discrepancy if Stripe reports a dispute without its details', async () => {
    const { shopper, order, reference, since } = await createPaidOrder()
    fake.store.dispute(reference, 'needs_response')
    await deliverEvents(since)
    await expectOrderState(shopper, order.id, { status: 'charged_back' })
    const listed = async () =>
      (await loadReconciliation(site.context, undefined)).discrepancies.find(
        (one) => one.reference === reference,
      )
    fake.store.hidesDisputes = true
    await reconcile(site.context)
    fake.store.hidesDisputes = false
    expect(await statusOf(order.id)).toEqual({ status: 'charged_back' })
    expect(await listed()).toMatchObject({ kind: 'payment', order_id: order.id })
    await reconcile(site.context)
    expect(await listed()).toBeUndefined()
    await expectOrderState(shopper, order.id, { status: 'charged_back' })
  })

  test("stays paid after a bank's inquiry, which is not a dispute", async () => {
    const { shopper, order, reference, since } = await createPaidOrder()
    fake.store.dispute(reference, 'warning_needs_response')
    await deliverEvents(since)
    await expectOrderState(shopper, order.id, { status: 'paid' })
  })
})

describe('a webhook event of Stripe', () => {
  const succeeded = (reference: string) => ({
    id: `evt_${reference}`,
    type: 'payment_intent.succeeded',
    data: { object: { id: reference, object: 'payment_intent' } },
  })

  test('settles a payment once if the buyer does not return and the event is delivered repeatedly', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order(orderParams())
    await fake.confirm(secretOf(order), testCards.pays)
    const signed = fake.sign(succeeded(referenceOf(order)))
    const responses = await Promise.all([1, 2, 3, 4, 5].map(() => send(signed)))
    expect(responses.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
    await expect.poll(() => statusOf(order.id)).toEqual({ status: 'paid' })
    expect(fake.store.refunds.some(({ payment_intent }) => payment_intent === referenceOf(order))).toBe(false)
  })

  test('about a decline closes the payment, so that its secret cannot be used for another card', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order(orderParams())
    await fake.confirm(secretOf(order), testCards.declined)
    await send(fake.sign({ ...succeeded(referenceOf(order)), type: 'payment_intent.payment_failed' }))
    await expect.poll(() => fake.store.intent(referenceOf(order)).status).toBe('canceled')
    expect(await shopper.getOrder(order.id)).toMatchObject({ declined: { reason: 'cardDeclined' } })
  })

  test('is refused and not stored if it is forged, stale or altered', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order(orderParams())
    await fake.confirm(secretOf(order), testCards.pays)
    const event = succeeded(referenceOf(order))
    const genuine = fake.sign(event)
    const bad = [
      fake.sign(event, { secret: 'whsec_other' }),
      fake.sign(event, { ageSeconds: 301 }),
      { ...genuine, body: Buffer.concat([genuine.body, Buffer.from(' ')]) },
      { ...genuine, headers: {} },
      { ...genuine, headers: { 'stripe-signature': 't=1,v1=00' } },
    ]
    for (const one of bad) expect((await send(one)).status).toBe(400)
    expect(await statusOf(order.id)).toEqual({ status: 'pending' })
    const { db } = site.context
    expect(
      await db.selectFrom('webhook_events').selectAll().where('reference', '=', referenceOf(order)).execute(),
    ).toEqual([])
    // This pays the order, because the ledger would otherwise differ from Stripe in later tests.
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })

  test('about an unrelated object of the account is accepted and ignored', async () => {
    const about = { id: 'cus_1', object: 'customer' }
    expect((await send(fake.sign({ id: 'evt_cus_1', data: { object: about } }))).status).toBe(204)
    await expect.poll(() => unappliedEvents(site)).toEqual([])
  })
})

test('a renewal that requires 3-D Secure is paid by the subscriber in the card form', async () => {
  const shopper = await Shopper.create(site)
  const orderParams = { gateway: 'stripe', kind: 'plan', plan_id: (await shopper.plan(30)).id } as const
  const { order } = await buy(shopper, testCards.requires3dsAlways, orderParams)
  fake.store.answerChallenge(referenceOf(order), 'yes')
  expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  offset += 30 * 86_400_000 + 60_000
  await renewDueSubscriptions(site.context)
  const membership = async () => (await shopper.visitor.callOk(getUser)).membership
  expect(await membership()).toMatchObject({ status: 'past_due' })
  const open = await shopper.order(orderParams)
  expect(open.next).toMatchObject({ type: 'card_form', client_secret: expect.any(String) })
  await fake.confirm(secretOf(open), testCards.requires3dsAlways)
  const challenged = await shopper.tryPay(open.id, referenceOf(open))
  expect(challenged.info?.next).toEqual({ type: 'authenticate', client_secret: secretOf(open) })
  // After the user closed and reopened the form, the same payment can be confirmed with any card.
  expect((await shopper.order(orderParams)).next).toEqual(challenged.info?.next)
  await fake.confirm(secretOf(open), testCards.pays)
  expect(await shopper.tryPay(open.id, referenceOf(open))).toMatchObject({ info: { status: 'paid' } })
  expect(await membership()).toMatchObject({ status: 'active' })
})

test('only the document of the payment form may load scripts from Stripe and contact Stripe', async () => {
  const policyOf = async (path: string) =>
    (await site.visitor().fetch(path)).headers.get('content-security-policy') ?? ''
  const form = await policyOf('/order/easy')
  expect(form).toMatch(
    /script-src 'self' 'nonce-[^']+' https:\/\/js\.stripe\.com https:\/\/\*\.js\.stripe\.com;/,
  )
  expect(form).toContain(
    "frame-src 'self' https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com;",
  )
  expect(form).toContain("connect-src 'self' https://api.stripe.com;")
  expect(form).toContain("img-src 'self' data:;")
  expect(await policyOf('/')).not.toContain('stripe')
})
