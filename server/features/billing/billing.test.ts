import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getOrders, listPlans, unlockEpisode } from '#contract/billing.ts'
import { getUser } from '#contract/members.ts'
import { getEpisode } from '#contract/media.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

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

async function stateOf(shopper: Shopper, number: number): Promise<string | undefined> {
  const answer = await shopper.visitor.callOk(getEpisode, { query: { video_id: video.id } })
  return 'list' in answer ? answer.list.find((one) => one.number === number)?.state : undefined
}

describe('an episode', () => {
  test('that is paid by card is unlocked for its buyer, but stays locked for other users; other episodes stay locked', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order(locked())
    expect(order).toMatchObject({
      status: 'pending',
      kind: 'episode',
      episode_id: episode(4),
      video_id: video.id,
      amount_cents: 99,
      currency: 'USD',
      next: { type: 'card_form', url: '/sandbox/card' },
    })
    const paid = await shopper.tryPay(order.id, await shopper.cardToken())
    expect(paid).toMatchObject({ code: 200, info: { id: order.id, status: 'paid', next: { type: 'none' } } })
    expect([await stateOf(shopper, 4), await stateOf(shopper, 5)]).toEqual(['unlocked', 'locked'])
    const other = await Shopper.create(site)
    expect(await stateOf(other, 4)).toBe('locked')
  })

  test.each([
    ['declined', 'cardDeclined', 'Your card was declined. Please try another card.'],
    ['noFunds', 'insufficientFunds', 'Insufficient funds. Please try another card.'],
    ['expired', 'cardExpired', 'This card has expired. Please try another card.'],
    ['badCvc', 'wrongCvc', 'The security code doesn’t match the card. Check it and try again.'],
  ] as const)(
    'stays locked if the card fails (%s), shows the reason, and can be paid with another card',
    async (card, reason, message) => {
      const shopper = await Shopper.create(site)
      const order = await shopper.order(locked())
      expect(await shopper.tryPay(order.id, await shopper.cardToken(testCards[card]))).toMatchObject({
        code: 500,
        message,
      })
      expect(await shopper.getOrder(order.id)).toMatchObject({
        status: 'pending',
        next: { type: 'card_form' },
        declined: { reason, message },
      })
      expect(await stateOf(shopper, 4)).toBe('locked')
      expect(await shopper.tryPay(order.id, await shopper.cardToken())).toMatchObject({
        code: 200,
        info: { status: 'paid' },
      })
    },
  )

  test('is unlocked when the order is read after the user has confirmed 3-D Secure', async () => {
    const shopper = await Shopper.create(site)
    const answer = await shopper.buy(locked(), testCards.requires3dsOnce)
    expect(answer).toMatchObject({ code: 200, info: { status: 'pending', next: { type: 'authenticate' } } })
    const { id = '', next } = answer.info ?? {}
    expect(await stateOf(shopper, 4)).toBe('locked')
    expect((await shopper.answerBankPage(next?.url ?? '', 'yes')).status).toBe(200)
    expect(await shopper.getOrder(id)).toMatchObject({ status: 'paid', next: { type: 'none' } })
    expect(await stateOf(shopper, 4)).toBe('unlocked')
  })

  test('stays locked when the user rejects 3-D Secure, and can be paid with another card', async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(locked(), testCards.requires3dsAlways)
    await shopper.answerBankPage(info?.next.url ?? '', 'no')
    expect(await shopper.getOrder(info?.id ?? '')).toMatchObject({
      status: 'pending',
      declined: { reason: 'bankAuthenticationFailed' },
    })
    expect(await shopper.tryPay(info?.id ?? '', await shopper.cardToken())).toMatchObject({
      code: 200,
      info: { status: 'paid' },
    })
  })

  test("can be paid once with another card while the first card's 3-D Secure is pending", async () => {
    const shopper = await Shopper.create(site)
    const { info } = await shopper.buy(locked(), testCards.requires3dsAlways)
    expect(await shopper.tryPay(info?.id ?? '', await shopper.cardToken())).toMatchObject({
      info: { status: 'paid' },
    })
    await shopper.answerBankPage(info?.next.url ?? '', 'yes')
    const attempts = await site.context.db
      .selectFrom('payment_attempts')
      .select('status')
      .where('order_id', '=', info?.id ?? '')
      .orderBy('number')
      .execute()
    expect(attempts.map(({ status }) => status)).toEqual(['cancelled', 'succeeded'])
  })

  test('is not sold if it is free or already owned, and no order is created', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy(locked())
    expect(await shopper.tryOrder(locked())).toMatchObject({ code: 409 })
    expect(await shopper.tryOrder({ episode_id: episode(1) })).toMatchObject({ code: 409 })
    const { list } = (await shopper.visitor.callOk(getOrders)) as { list: unknown[] }
    expect(list).toHaveLength(1)
  })

  test('is not sold if its video is a draft or its id is unknown', async () => {
    const shopper = await Shopper.create(site)
    const draft = await buildVideo(site.context, { state: 'draft' })
    expect(await shopper.tryOrder({ episode_id: draft.episodes[4]?.id })).toMatchObject({ code: 404 })
    expect(await shopper.tryOrder({ episode_id: 'ep_unknown' })).toMatchObject({ code: 404 })
  })

  test('is paid by wallet after a redirect to the wallet and back', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order({ ...locked(), method: 'wallet' })
    expect(order.next).toMatchObject({ type: 'redirect' })
    const page = await shopper.visitor.fetch(order.next.url ?? '')
    expect(await page.text()).toContain('$0.99')
    const headers = { 'accept-language': 'de' }
    const german = await shopper.visitor.fetch(order.next.url ?? '', { headers })
    expect(await german.text()).toMatch(/0,99\s\$/)
    const back = await shopper.answerBankPage(order.next.url ?? '', 'yes')
    expect([back.status, back.headers.get('location')]).toEqual([
      303,
      `http://localhost:3000/order/result?order_id=${order.id}`,
    ])
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })

  test('stays locked if the user cancels the wallet payment, and can be paid by wallet again', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order({ ...locked(), method: 'wallet' })
    await shopper.answerBankPage(order.next.url ?? '', 'no')
    expect(await shopper.getOrder(order.id)).toMatchObject({
      status: 'pending',
      declined: { reason: 'paymentCancelled', message: expect.stringContaining('Payment cancelled') },
    })
    expect(await stateOf(shopper, 4)).toBe('locked')
    const again = await shopper.tryPay(order.id, undefined)
    expect(again).toMatchObject({ code: 200, info: { next: { type: 'redirect' } } })
    await shopper.answerBankPage(again.info?.next.url ?? '', 'yes')
    expect(await shopper.getOrder(order.id)).toMatchObject({ status: 'paid' })
  })
})

test('a purchase of the whole video unlocks every episode, and excludes further purchases of the video', async () => {
  const shopper = await Shopper.create(site)
  const { info } = await shopper.buy({ kind: 'video', video_id: video.id })
  expect(info).toMatchObject({ status: 'paid', amount_cents: 999, video_id: video.id })
  expect([await stateOf(shopper, 4), await stateOf(shopper, 6)]).toEqual(['unlocked', 'unlocked'])
  expect(await shopper.tryOrder(locked())).toMatchObject({ code: 409 })
  expect(await shopper.tryOrder({ kind: 'video', video_id: video.id })).toMatchObject({ code: 409 })
})

test('a buyer of one episode can also buy the whole video', async () => {
  const shopper = await Shopper.create(site)
  await shopper.buy(locked())
  expect(await shopper.tryOrder({ kind: 'video', video_id: video.id })).toMatchObject({ code: 200 })
})

describe('a plan', () => {
  test('charges its introductory price, unlocks everything until the period ends, and saves the card', async () => {
    const shopper = await Shopper.create(site)
    const plan = await shopper.plan(7)
    expect(plan).toMatchObject({ name: 'Weekly', price_cents: 999, intro_price_cents: 499, currency: 'USD' })
    const { info } = await shopper.buy({ kind: 'plan', plan_id: plan.id })
    expect(info).toMatchObject({ status: 'paid', amount_cents: 499, plan_id: plan.id })
    expect([await stateOf(shopper, 4), await stateOf(shopper, 6)]).toEqual(['unlocked', 'unlocked'])
    const { membership, id } = await shopper.visitor.callOk(getUser)
    expect(membership).toMatchObject({
      state: 'subscribed',
      status: 'active',
      plan: { id: plan.id, name: 'Weekly', price_cents: 999, currency: 'USD', period_days: 7 },
      gateway: 'sandbox',
      ends_at: null,
    })
    expect(Date.parse(membership.renews_at ?? '') - Date.parse(info?.paid_at ?? '')).toBe(7 * 86_400_000)
    const { db } = site.context
    expect(
      await db
        .selectFrom('subscriptions')
        .select(['status', 'period_no', 'period_ends_at'])
        .where('user_id', '=', id)
        .execute(),
    ).toEqual([{ status: 'active', period_no: 0, period_ends_at: new Date(membership.renews_at ?? '') }])
    expect(
      await db
        .selectFrom('payment_methods')
        .select(['gateway', 'brand', 'last4'])
        .where('user_id', '=', id)
        .execute(),
    ).toEqual([{ gateway: 'sandbox', brand: 'visa', last4: '4242' }])
    expect(
      await db
        .selectFrom('entitlements')
        .select(['source', 'ends_at', 'video_id', 'episode_id'])
        .where('user_id', '=', id)
        .execute(),
    ).toEqual([
      {
        source: 'subscription',
        // Includes the grace period, so that subscribers keep access while the next period is charged.
        ends_at: new Date(Date.parse(membership.renews_at ?? '') + 3 * 86_400_000),
        video_id: null,
        episode_id: null,
      },
    ])
  })

  test('cannot be ordered while its subscription is active', async () => {
    const shopper = await Shopper.create(site)
    const { id: plan_id } = await shopper.plan(7)
    await shopper.buy({ kind: 'plan', plan_id })
    expect(await shopper.tryOrder({ kind: 'plan', plan_id })).toMatchObject({
      code: 409,
      message: /already subscribed/,
    })
  })

  test('gives no membership if the first payment is declined', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy({ kind: 'plan', plan_id: (await shopper.plan(30)).id }, testCards.declined)
    const { membership } = await shopper.visitor.callOk(getUser)
    expect(membership).toMatchObject({ state: 'free', plan: null })
  })
})

test('plans are listed in the requested language', async () => {
  const { answer } = await site.visitor().call(listPlans, { headers: { 'accept-language': 'de' } })
  expect(answer.data).toMatchObject({
    list: [
      { name: 'Wöchentlich' },
      { name: 'Monatlich', highlight: true },
      { name: 'Jährlich', price_cents: 14_999 },
    ],
    next_cursor: null,
    gateways: [
      { id: 'sandbox', kind: 'card' },
      { id: 'sandbox', kind: 'wallet' },
    ],
  })
})

describe('the call "unlock"', () => {
  test('returns the entitlement that covers an episode', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy(locked())
    const info = await shopper.visitor.callOk(unlockEpisode, { body: { episode_id: episode(4) } })
    expect(info).toMatchObject({ source: 'purchase', episode_id: episode(4), video_id: video.id })
  })

  test('is refused with the offer if no entitlement covers the episode', async () => {
    const shopper = await Shopper.create(site)
    const { answer } = await shopper.visitor.call(unlockEpisode, { body: { episode_id: episode(5) } })
    expect(answer).toMatchObject({
      code: 402,
      info: {
        episode: { id: episode(5), number: 5, video_id: video.id },
        price: { episode_cents: 99, video_cents: 999, currency: 'USD' },
        plans: [{ period_days: 7 }, { period_days: 30 }, { period_days: 365 }],
        gateways: [{ kind: 'card' }, { kind: 'wallet' }],
      },
    })
  })
})
