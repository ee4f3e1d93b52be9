import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { getBalance, listBalanceEntries } from '#contract/balance.ts'
import { getUser } from '#contract/members.ts'
import { runJanitor } from '#server/features/billing/jobs/janitor.ts'
import { expireBonus } from '#server/features/billing/jobs/expire-bonus.ts'
import { Shopper, testCards } from '#server/testing/builders/shopper.ts'
import {
  balanceOf,
  balanceSite,
  expectLedgerAndBalances,
  offerOf,
  createTopUpProduct,
  purchaseTopUp,
  tryUnlockFromBalance,
  createShopperWithBalance,
} from '#server/testing/site/balance-site.ts'
import { episodeIdOf, playbackCode, refundsOf, type BillingSite } from '#server/testing/site/billing-site.ts'

const day = 86_400_000
let site: BillingSite

beforeAll(async () => {
  site = await balanceSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerAndBalances(site))

const tryUnlock = (shopper: Shopper, number = 4, headers: Record<string, string> = {}) =>
  tryUnlockFromBalance(site, shopper, number, headers)

const entriesOf = async ({ visitor }: Shopper) =>
  (await visitor.callOk(listBalanceEntries)).list.map(({ kind, amount_cents, bonus_cents }) => ({
    kind,
    amount_cents,
    bonus_cents,
  }))

describe('a top-up', () => {
  test('is an ordinary order that adds its price and bonus to the balance', async () => {
    const { shopper, topUp: order } = await createShopperWithBalance(site, 'top_10')
    expect(order).toMatchObject({ kind: 'top_up', top_up_id: 'top_10', amount_cents: 1000, bonus_cents: 100 })
    expect(await balanceOf(shopper)).toMatchObject({
      currency: 'USD',
      available_cents: 1100,
      paid_cents: 1000,
      bonus_cents: 100,
      bonus_expiring: { cents: 100 },
    })
    expect(await entriesOf(shopper)).toEqual([{ kind: 'top_up', amount_cents: 1100, bonus_cents: 100 }])
  })

  test('adds nothing if its payment is declined', async () => {
    const shopper = await Shopper.create(site)
    const declined = await shopper.buy({ kind: 'top_up', top_up_id: 'top_5' }, testCards.declined)
    expect(declined.code).toBe(500)
    expect((await shopper.visitor.callOk(getBalance)).balances).toEqual([])
  })

  test('can be bought repeatedly, and adds to the balance each time', async () => {
    const { shopper } = await createShopperWithBalance(site, 'top_5')
    await purchaseTopUp(site, shopper, 'top_5')
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 1000 })
  })

  test('is credited once for concurrent requests to pay it', async () => {
    const shopper = await Shopper.create(site)
    const order = await shopper.order({ kind: 'top_up', top_up_id: 'top_10' })
    const token = await shopper.cardToken()
    await Promise.all([1, 2, 3].map(() => shopper.tryPay(order.id, token)))
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 1000, bonus_cents: 100 })
  })

  test('is refused if it is not on sale, or if its price differs from the shown one', async () => {
    const shopper = await Shopper.create(site)
    expect(await shopper.tryOrder({ kind: 'top_up', top_up_id: 'top_none' })).toMatchObject({ code: 404 })
    expect(await shopper.tryOrder({ kind: 'top_up', top_up_id: 'top_5', amount_cents: 499 })).toMatchObject({
      code: 409,
      info: { amount_cents: 500 },
    })
  })
})

describe('the bonus in an order request', () => {
  const changeBonus = (id: string, bonus_cents: number) =>
    site.context.db.updateTable('top_up_products').set({ bonus_cents }).where('id', '=', id).execute()

  test('is refused if it is outdated, and the answer has the current bonus', async () => {
    const shopper = await Shopper.create(site)
    const top_up_id = await createTopUpProduct(site, 1000, 100)
    const shown = { kind: 'top_up', top_up_id, amount_cents: 1000, bonus_cents: 100 } as const
    expect((await shopper.tryOrder(shown)).code).toBe(200)
    await changeBonus(top_up_id, 50)
    expect(await shopper.tryOrder(shown)).toMatchObject({
      code: 409,
      info: { amount_cents: 1000, bonus_cents: 50, currency: 'USD' },
    })
    expect(await shopper.tryOrder({ ...shown, bonus_cents: 50 })).toMatchObject({ info: { bonus_cents: 50 } })
    expect(await shopper.tryOrder({ ...shown, bonus_cents: undefined })).toMatchObject({ code: 200 })
  })

  test('must be 0 or missing for an episode', async () => {
    const shopper = await Shopper.create(site)
    const episode = { episode_id: episodeIdOf(site) }
    expect((await shopper.tryOrder({ ...episode, bonus_cents: 0 })).code).toBe(200)
    expect((await shopper.tryOrder({ ...episode, bonus_cents: 1 })).code).toBe(409)
  })

  test('creates a new order for a saved card if the open order has another bonus', async () => {
    const shopper = await Shopper.create(site)
    const save_method = { terms_text: 'Save this card for future purchases.' }
    const order = await shopper.order({ kind: 'top_up', top_up_id: 'top_5', save_method })
    const { info: challenged } = await shopper.tryPay(
      order.id,
      await shopper.cardToken(testCards.requires3dsAlways),
    )
    await shopper.answerBankPage(challenged?.next.url ?? '', 'yes')
    await shopper.getOrder(order.id)
    const { saved_method } = await shopper.visitor.callOk(getBalance)
    const top_up_id = await createTopUpProduct(site, 1000, 100)
    const press = { kind: 'top_up', top_up_id, saved_method_id: saved_method?.id } as const
    // The bank requires 3-D Secure for this payment, so the order stays open.
    const { info: open } = await shopper.tryOrder(press)
    expect(open).toMatchObject({ status: 'pending', bonus_cents: 100 })
    await changeBonus(top_up_id, 50)
    const again = await shopper.tryOrder({ ...press, bonus_cents: 50 })
    expect(again).toMatchObject({ code: 200, info: { bonus_cents: 50 } })
    expect(again.info?.id).not.toBe(open?.id)
  })
})

describe('a purchase from the balance', () => {
  test('is paid in one call, and unlocks the episode', async () => {
    const { shopper } = await createShopperWithBalance(site, 'top_5')
    expect(await playbackCode(site, shopper)).toBe(402)
    expect(await tryUnlock(shopper)).toMatchObject({
      code: 200,
      info: {
        status: 'paid',
        gateway: 'balance',
        amount_cents: 99,
        discount_cents: 0,
        next: { type: 'none' },
      },
    })
    expect(await playbackCode(site, shopper)).toBe(200)
    expect(await balanceOf(shopper)).toMatchObject({ available_cents: 401 })
    expect((await entriesOf(shopper))[0]).toEqual({ kind: 'purchase', amount_cents: -99, bonus_cents: 0 })
  })

  test('buys the full series', async () => {
    const { shopper } = await createShopperWithBalance(site, 'top_20')
    const order = { kind: 'video' as const, video_id: site.video.id, gateway: 'balance' as const }
    expect(await shopper.tryOrder(order)).toMatchObject({ code: 200, info: { status: 'paid' } })
    expect(await playbackCode(site, shopper, 6)).toBe(200)
  })

  test('is refused with the missing amount, and creates no order, if the balance is too low', async () => {
    const shopper = await Shopper.create(site)
    await purchaseTopUp(site, shopper, [100])
    expect(await tryUnlock(shopper)).toMatchObject({ code: 200 })
    expect(await tryUnlock(shopper, 5)).toMatchObject({
      code: 409,
      message: 'Your balance is too low. Please top it up or choose another payment method.',
      info: { amount_cents: 99, currency: 'USD', available_cents: 1, missing_cents: 98 },
    })
    const { id } = await shopper.visitor.callOk(getUser)
    const orders = site.context.db.selectFrom('orders').select('status').where('user_id', '=', id)
    expect(await orders.execute()).toEqual([{ status: 'paid' }, { status: 'paid' }])
    expect(await playbackCode(site, shopper, 5)).toBe(402)
  })

  test('is charged once for 50 concurrent requests', async () => {
    const { shopper } = await createShopperWithBalance(site, 'top_5')
    const answers = await Promise.all(Array.from({ length: 50 }, () => tryUnlock(shopper)))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(answers.filter(({ code }) => code === 409)).toHaveLength(49)
    expect(await balanceOf(shopper)).toMatchObject({ available_cents: 401 })
  })

  test('never exceeds the balance, also for several episodes concurrently', async () => {
    const shopper = await Shopper.create(site)
    await purchaseTopUp(site, shopper, [200])
    const answers = await Promise.all([4, 5, 6].map((number) => tryUnlock(shopper, number)))
    expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 200, 409])
    expect(await balanceOf(shopper)).toMatchObject({ available_cents: 2 })
  })

  test('gets the same answer for every request with the same idempotency key', async () => {
    const { shopper } = await createShopperWithBalance(site, 'top_5')
    const key = { 'idempotency-key': 'one key' }
    const [first, ...more] = await Promise.all([1, 2, 3, 4].map(() => tryUnlock(shopper, 4, key)))
    expect(first).toMatchObject({ code: 200, info: { status: 'paid' } })
    for (const answer of more) expect(answer).toEqual(first)
  })

  test('works while every gateway is unavailable', async () => {
    const { shopper } = await createShopperWithBalance(site, 'top_5')
    const { gateways } = site.context
    site.context.gateways = []
    try {
      expect((await offerOf(site, shopper)).balance).toMatchObject({ covers: ['episode'] })
      expect(await tryUnlock(shopper)).toMatchObject({ code: 200, info: { status: 'paid' } })
      expect(await playbackCode(site, shopper)).toBe(200)
    } finally {
      site.context.gateways = gateways
    }
  })

  test('is refused for a plan, for a top-up and at another price', async () => {
    const { shopper } = await createShopperWithBalance(site, 'top_20')
    const { id: plan_id } = await shopper.plan(7)
    const refused = { code: 500, message: expect.stringContaining('payment method') }
    expect(await shopper.tryOrder({ kind: 'plan', plan_id, gateway: 'balance' })).toMatchObject(refused)
    expect(await shopper.tryOrder({ kind: 'top_up', top_up_id: 'top_5', gateway: 'balance' })).toMatchObject(
      refused,
    )
    const otherPrice = { episode_id: episodeIdOf(site), gateway: 'balance' as const, amount_cents: 98 }
    expect(await shopper.tryOrder(otherPrice)).toMatchObject({ code: 409, info: { amount_cents: 99 } })
    expect(await balanceOf(shopper)).toMatchObject({ available_cents: 2300 })
  })
})

describe('bonus money', () => {
  test('is spent before paid money, earliest expiry first, and counts as a discount', async () => {
    const shopper = await Shopper.create(site)
    for (const [bonus, days] of [
      [50, null],
      [60, 30],
      [40, 10],
    ] as const)
      await purchaseTopUp(site, shopper, [500, bonus, days])
    expect(await tryUnlock(shopper)).toMatchObject({ info: { discount_cents: 99 } })
    // 40 of the ten-day bonus and 59 of the thirty-day bonus are spent.
    expect(await balanceOf(shopper)).toMatchObject({
      paid_cents: 1500,
      bonus_cents: 51,
      bonus_expiring: { cents: 1 },
    })
    expect(await tryUnlock(shopper, 5)).toMatchObject({ info: { discount_cents: 51 } })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 1452, bonus_cents: 0 })
  })

  test('expires, unlike paid money', async () => {
    const shopper = await Shopper.create(site)
    await purchaseTopUp(site, shopper, [500, 70, 10])
    site.advanceClock(11 * day)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500, bonus_cents: 0, available_cents: 500 })
    expect(await tryUnlock(shopper)).toMatchObject({ info: { discount_cents: 0 } })
    await expireBonus(site.context)
    await expireBonus(site.context)
    expect((await entriesOf(shopper)).map(({ kind }) => kind)).toEqual([
      'bonus_expired',
      'purchase',
      'top_up',
    ])
    site.advanceClock(300 * day)
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 401 })
    await runJanitor(site.context)
  })
})

describe('the offer of a locked episode', () => {
  test('shows the balance and whether it covers the cheapest product', async () => {
    const newShopper = await Shopper.create(site)
    expect((await offerOf(site, newShopper)).balance).toMatchObject({
      available_cents: 0,
      covers: [],
      covers_cheapest: false,
    })
    const { shopper } = await createShopperWithBalance(site, 'top_10')
    expect((await offerOf(site, shopper)).balance).toMatchObject({
      currency: 'USD',
      available_cents: 1100,
      bonus_cents: 100,
      covers: expect.arrayContaining(['episode']),
      covers_cheapest: true,
      cheapest: { kind: 'episode', amount_cents: 99, discount_cents: 99 },
      top_ups: expect.arrayContaining([
        { id: 'top_10', price_cents: 1000, bonus_cents: 100, bonus_days: 365, currency: 'USD' },
      ]),
    })
  })
})

describe('a saved card', () => {
  test('tops up in one call', async () => {
    const shopper = await Shopper.create(site)
    const termsText = 'Save this card for future purchases.'
    const order = await shopper.order({
      kind: 'top_up',
      top_up_id: 'top_5',
      save_method: { terms_text: termsText },
    })
    await shopper.tryPay(order.id, await shopper.cardToken())
    const { saved_method } = await shopper.visitor.callOk(getBalance)
    const again = { kind: 'top_up' as const, top_up_id: 'top_10', saved_method_id: saved_method?.id }
    expect(await shopper.tryOrder(again)).toMatchObject({ code: 200, info: { status: 'paid' } })
    expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 1500, bonus_cents: 100 })
    expect(await refundsOf(site, order.id)).toEqual([])
  })
})
