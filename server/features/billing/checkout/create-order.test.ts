import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOrder, getOrders, payOrder, unlockEpisode } from '#contract/billing.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { selectAcceptedTerms } from '#server/features/billing/records/accepted-terms-queries.ts'

let site: TestSite
let video: BuiltVideo

beforeAll(async () => {
  site = await startTestSite()
  video = await buildVideo(site.context)
})
afterAll(() => site.close())

/** Returns the id of an episode by its number. Episodes are locked from number 4 on. */
const episode = (number: number) => video.episodes[number - 1]?.id ?? ''
const locked = () => ({ kind: 'episode' as const, episode_id: episode(4) })

describe('the checkout', () => {
  test('refuses every call that needs a visitor if the call has no token', async () => {
    const anonymous = site.visitor()
    const body = { order_id: 'ord_1', first_name: 'A', last_name: 'B' }
    const answers = [
      await anonymous.call(unlockEpisode, { body: { episode_id: episode(4) } }),
      await anonymous.call(createOrder, {
        body: { kind: 'episode', episode_id: episode(4), gateway: 'sandbox', email: 'a@b' },
      }),
      await anonymous.call(payOrder, { body }),
      await anonymous.call(getOrders),
    ]
    expect(answers.map(({ status, answer }) => [status, answer.code])).toEqual(answers.map(() => [200, 401]))
  })

  test("does not show another user's order or accept a payment for it", async () => {
    const [owner, other] = [await Shopper.create(site), await Shopper.create(site)]
    const order = await owner.order(locked())
    expect((await other.visitor.call(getOrders, { query: { order_id: order.id } })).answer.code).toBe(404)
    expect(await other.tryPay(order.id, await other.cardToken())).toMatchObject({ code: 404 })
    expect(await owner.getOrder(order.id)).toMatchObject({ status: 'pending' })
  })

  test.each([
    'nobody',
    'two@at@signs',
    '@',
    'a b@c',
    `${'a'.repeat(250)}@b.example`,
    `${'a'.repeat(600)}@b.example`,
    undefined,
  ])('refuses the e-mail address %s, and names the field', async (email) => {
    const shopper = await Shopper.create(site)
    expect(await shopper.tryOrder({ ...locked(), email })).toMatchObject({
      code: 500,
      info: { field: 'email' },
    })
  })

  test.each([
    ['first_name', ' '],
    ['last_name', 'x'.repeat(65)],
    ['last_name', 'x'.repeat(600)],
  ])('refuses an invalid %s, and names the field', async (field, value) => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order(locked())
    const body = {
      order_id: order.id,
      payment_token: await shopper.cardToken(),
      first_name: 'Ada',
      last_name: 'Lovelace',
      [field]: value,
    }
    expect((await shopper.visitor.call(payOrder, { body })).answer).toMatchObject({
      code: 500,
      info: { field },
    })
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'pending' })
  })

  test.each([
    { first_name: '4242 4242 4242 4242' },
    { payment_token: '4000000000000002' },
    { card_number: 4_242_424_242_424_242 },
  ])('refuses a body that contains a card number: %o', async (extra) => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order(locked())
    const body = { order_id: order.id, first_name: 'Ada', last_name: 'Lovelace', ...extra }
    expect(
      (
        await shopper.visitor.call(payOrder, {
          body,
          headers: { 'idempotency-key': `card ${JSON.stringify(extra)}` },
        })
      ).answer,
    ).toMatchObject({ code: 500, message: /only in the card field/ })
  })

  test('refuses a gateway that this site does not offer', async () => {
    const shopper = await Shopper.create(site)
    expect(await shopper.tryOrder({ ...locked(), gateway: 'stripe' })).toMatchObject({
      code: 500,
      message: /isn’t available here/,
    })
  })

  test('refuses an order without the id of its product', async () => {
    const shopper = await Shopper.create(site)
    expect(
      (await shopper.visitor.call(createOrder, { body: { kind: 'video', gateway: 'sandbox', email: 'a@b' } }))
        .status,
    ).toBe(400)
  })

  test('refuses a card token that was already used', async () => {
    const shopper = await Shopper.create(site)
    const [one, two] = [await shopper.order(locked()), await shopper.order({ episode_id: episode(5) })]
    const token = await shopper.cardToken()
    expect(await shopper.tryPay(one.id, token)).toMatchObject({ code: 200 })
    expect(await shopper.tryPay(two.id, token)).toMatchObject({ code: 500, message: /timed out/ })
  })
})

test('an order stores the accepted terms, the time of acceptance, and the referrer token', async () => {
  const shopper = await Shopper.create(site)
  const consent = { terms_text: '$0.99 for episode 4', immediate_delivery: true }
  const order = await shopper.order(
    { ...locked(), consent },
    { 'x-referrer-token': 'spring', 'x-fbclid': 'click' },
  )
  const row = await site.context.db
    .selectFrom('orders')
    .select(['consent', 'attribution', 'created_at'])
    .where('id', '=', order.id)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    consent: { terms_hash: expect.any(String), immediate_delivery: true, at: row.created_at.toISOString() },
    attribution: { referrer_token: 'spring' },
  })
  expect(await selectAcceptedTerms(site.context.db, row.consent?.terms_hash ?? '')).toBe(consent.terms_text)
})

test('an order keeps its amount after a change of the price', async () => {
  const other = await buildVideo(site.context)
  const shopper = await Shopper.create(site)
  const order = await shopper.order({ episode_id: other.episodes[4]?.id })
  await site.context.db.updateTable('videos').set({ episode_cents: 500 }).where('id', '=', other.id).execute()
  expect((await shopper.tryPay(order.id, await shopper.cardToken())).info).toMatchObject({
    status: 'paid',
    amount_cents: 99,
  })
})

test("a user's orders are listed newest first, in pages", async () => {
  const shopper = await Shopper.create(site)
  const created = [
    await shopper.order(locked()),
    await shopper.order({ episode_id: episode(5) }),
    await shopper.order({ episode_id: episode(6) }),
  ]
  const first = (await shopper.visitor.callOk(getOrders, { query: { limit: 2 } })) as {
    list: { id: string }[]
    next_cursor: string
  }
  const second = (await shopper.visitor.callOk(getOrders, {
    query: { limit: 2, cursor: first.next_cursor },
  })) as typeof first
  expect([...first.list, ...second.list].map(({ id }) => id)).toEqual(
    created.map(({ id }) => id).toReversed(),
  )
  expect(second.next_cursor).toBeNull()
})
