import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  autoUnlock,
  getBalance,
  refundBalance,
  setAutoUnlock,
  stopAutoUnlock,
  undoAutoUnlock,
} from '#contract/balance.ts'
import { withdraw } from '#contract/consumer-rights.ts'
import { getUser } from '#contract/members.ts'
import type { BodyOf } from '#contract/endpoint.ts'
import {
  deleteUnusedTerms,
  selectAcceptedTerms,
} from '#server/features/billing/records/accepted-terms-queries.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import {
  balanceOf,
  balanceSite,
  expectLedgerAndBalances,
  offerOf,
  createShopperWithBalance,
} from '#server/testing/site/balance-site.ts'
import { episodeIdOf, playbackCode, type BillingSite } from '#server/testing/site/billing-site.ts'

const day = 86_400_000
const minute = 60_000
const termsText = 'The next episodes unlock for $0.99 each from your balance.'
let site: BillingSite

beforeAll(async () => {
  site = await balanceSite()
})
afterAll(() => site.close())
afterEach(() => expectLedgerAndBalances(site))

const createShopper = async () => (await createShopperWithBalance(site)).shopper

const params = () => ({
  video_id: site.video.id,
  daily_limit: 5,
  amount_cents: 99,
  terms_text: termsText,
  immediate_delivery: true,
})

const enableAutoUnlock = ({ visitor }: Shopper, daily_limit = 5, video_id = site.video.id) =>
  visitor.callOk(setAutoUnlock, { body: { ...params(), video_id, daily_limit } })

const trySetting = async ({ visitor }: Shopper, body: BodyOf<typeof setAutoUnlock>) =>
  (await visitor.call(setAutoUnlock, { body })).answer

const unlock = async ({ visitor }: Shopper, number: number, episode_id = episodeIdOf(site, number)) =>
  (await visitor.call(autoUnlock, { body: { episode_id } })).answer

const undoUnlock = async ({ visitor }: Shopper, order_id = '') =>
  (await visitor.call(undoAutoUnlock, { body: { order_id } })).answer

const leftOf = async (shopper: Shopper) => (await balanceOf(shopper))?.available_cents

/** Returns the audit events of a user's auto-unlock. */
async function audited(userId: string) {
  const { rows } = await sql<{ event: string; details: Record<string, unknown> }>`
    SELECT event, details FROM audit_events WHERE user_id = ${userId} AND event LIKE 'auto_unlock%' ORDER BY id`.execute(
    site.context.db,
  )
  return rows
}

describe('auto-unlock', () => {
  test('unlocks nothing before the user has turned it on for the drama', async () => {
    const shopper = await createShopper()
    expect(await unlock(shopper, 4)).toMatchObject({ code: 409, message: expect.stringContaining('off') })
    expect(await playbackCode(site, shopper)).toBe(402)
    expect(await leftOf(shopper)).toBe(500)
  })

  test('unlocks the next episode from the balance', async () => {
    const shopper = await createShopper()
    expect(await enableAutoUnlock(shopper)).toEqual({
      video_id: site.video.id,
      daily_limit: 5,
      remaining_today: 5,
      max_price_cents: 99,
      currency: 'USD',
    })
    expect(await unlock(shopper, 4)).toMatchObject({
      code: 200,
      info: { status: 'paid', auto_unlock: { undo_until: expect.any(String), can_undo: true } },
    })
    expect(await playbackCode(site, shopper)).toBe(200)
    const { auto_unlocks } = await shopper.visitor.callOk(getBalance)
    expect(auto_unlocks).toMatchObject([{ remaining_today: 4 }])
  })

  test('is included in the offers of locked episodes once it is turned on for their drama', async () => {
    const shopper = await createShopper()
    expect((await offerOf(site, shopper)).balance).not.toHaveProperty('auto_unlock')
    const autoUnlock = await enableAutoUnlock(shopper)
    expect((await offerOf(site, shopper)).balance).toMatchObject({ auto_unlock: autoUnlock })
    await unlock(shopper, 4)
    expect((await offerOf(site, shopper, 5)).balance).toMatchObject({ auto_unlock: { remaining_today: 4 } })
  })

  test('unlocks once for 20 concurrent requests', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    const answers = await Promise.all(Array.from({ length: 20 }, () => unlock(shopper, 4)))
    expect(answers.filter(({ code }) => code === 200)).toHaveLength(1)
    expect(await leftOf(shopper)).toBe(401)
  })

  test('stops at the daily limit, also for concurrent requests, and continues a day later', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper, 1)
    const answers = await Promise.all([4, 5, 6].map((number) => unlock(shopper, number)))
    expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 409, 409])
    expect(await leftOf(shopper)).toBe(401)
    site.advanceClock(day + 1000)
    const open = await Promise.all([4, 5, 6].map((number) => playbackCode(site, shopper, number)))
    const locked = [4, 5, 6].filter((_, index) => open[index] === 402)
    expect((await unlock(shopper, locked[0] ?? 0)).code).toBe(200)
  })

  test('is refused at a higher price than the user agreed to', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    const { db } = site.context
    const setPrice = (episode_cents: number) =>
      db.updateTable('videos').set({ episode_cents }).where('id', '=', site.video.id).execute()
    await setPrice(149)
    try {
      expect(await unlock(shopper, 4)).toMatchObject({ code: 409, info: { amount_cents: 149 } })
    } finally {
      await setPrice(99)
    }
    expect(await leftOf(shopper)).toBe(500)
  })

  test('is refused if the price is higher than the price in the request, even if the user agreed to the higher price', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    const announced = async (amount_cents: number) => {
      const body = { episode_id: episodeIdOf(site, 4), amount_cents }
      return (await shopper.visitor.call(autoUnlock, { body })).answer
    }
    expect(await announced(49)).toMatchObject({ code: 409, info: { amount_cents: 99, currency: 'USD' } })
    expect(await leftOf(shopper)).toBe(500)
    expect(await announced(99)).toMatchObject({ code: 200, info: { status: 'paid' } })
  })

  test('is not turned on at an outdated price; the response has the current price', async () => {
    const shopper = await createShopper()
    expect(await trySetting(shopper, { ...params(), amount_cents: 98 })).toMatchObject({
      code: 409,
      info: { amount_cents: 99, currency: 'USD' },
    })
  })

  test('cannot be turned on by a user who never had a balance', async () => {
    const shopper = await Shopper.create(site)
    expect(await trySetting(shopper, params())).toMatchObject({
      code: 409,
      info: { available_cents: 0, missing_cents: 99 },
    })
  })

  test('is turned off by one call', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    const off = await shopper.visitor.callOk(stopAutoUnlock, { body: { video_id: site.video.id } })
    expect(off).toEqual({ auto_unlocks: [] })
    expect((await unlock(shopper, 4)).code).toBe(409)
  })

  test('is refused if the balance is too low', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    await shopper.visitor.callOk(refundBalance, { body: {} })
    expect(await unlock(shopper, 4)).toMatchObject({ code: 409, info: { missing_cents: 99 } })
  })
})

describe('consent to auto-unlock', () => {
  test('is refused if the user does not request immediate delivery', async () => {
    const shopper = await createShopper()
    for (const immediate_delivery of [undefined, false])
      expect(await trySetting(shopper, { ...params(), immediate_delivery })).toMatchObject({
        code: 500,
        message: expect.stringContaining('right of withdrawal'),
        info: { field: 'immediate_delivery' },
      })
    expect((await shopper.visitor.callOk(getBalance)).auto_unlocks).toEqual([])
  })

  test('applies to each automatic order, so the user cannot withdraw from these orders', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    const { info } = await unlock(shopper, 4)
    const { db, clock } = site.context
    const { user_id, consent } = await db
      .selectFrom('orders')
      .select(['user_id', 'consent'])
      .where('id', '=', info?.id ?? '')
      .executeTakeFirstOrThrow()
    expect(consent).toMatchObject({ immediate_delivery: true, at: expect.any(String) })
    expect(await audited(user_id)).toMatchObject([
      { event: 'auto_unlock_enabled', details: { terms_hash: consent?.terms_hash } },
    ])
    await shopper.visitor.callOk(stopAutoUnlock, { body: { video_id: site.video.id } })
    site.advanceClock(3 * day)
    await deleteUnusedTerms(db, clock.now())
    expect(await selectAcceptedTerms(db, consent?.terms_hash ?? '')).toBe(termsText)
    const receipt = (await site.mails(shopper.email)).find(({ subject }) => subject.endsWith('episode 4'))
    expect(receipt?.text).toContain('you lose your 14-day right of withdrawal')
    await site.visitor().callOk(withdraw, { body: { email: shopper.email, order_id: info?.id } })
    expect((await site.mails(shopper.email)).filter(({ text }) => text.includes('#withdraw='))).toEqual([])
  })
})

describe('the audit log of auto-unlock', () => {
  test('lists the changed fields, and has no event if no field changed', async () => {
    const shopper = await createShopper()
    const { id } = await shopper.visitor.callOk(getUser)
    const turnOff = () => shopper.visitor.callOk(stopAutoUnlock, { body: { video_id: site.video.id } })
    for (const limit of [5, 5, 5, 6]) await enableAutoUnlock(shopper, limit)
    for (const _ of [1, 2]) await turnOff()
    expect((await audited(id)).map(({ event, details }) => [event, details['daily_limit']])).toEqual([
      ['auto_unlock_enabled', 5],
      ['auto_unlock_enabled', 6],
      ['auto_unlock_disabled', undefined],
    ])
  })

  test('has a limited number of events per network, so turning auto-unlock on repeatedly is refused', async () => {
    const limited = await balanceSite({ RATE_LIMIT_AUDIT_EVENTS_PER_IP: '2/h' })
    try {
      const { shopper } = await createShopperWithBalance(limited)
      const { visitor } = shopper
      const body = { ...params(), video_id: limited.video.id }
      const toggle = async () => {
        const { status } = await visitor.call(setAutoUnlock, { body })
        await visitor.callOk(stopAutoUnlock, { body: { video_id: body.video_id } })
        return status
      }
      expect([await toggle(), await toggle(), await toggle()]).toEqual([200, 200, 429])
    } finally {
      await limited.close()
    }
  })
})

describe('undoing an automatic unlock', () => {
  test('gives the money back, locks the episode, and turns auto-unlock off', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    const { info: order } = await unlock(shopper, 4)
    expect(await undoUnlock(shopper, order?.id)).toMatchObject({ code: 200, info: { status: 'refunded' } })
    expect(await undoUnlock(shopper, order?.id)).toMatchObject({ code: 200, info: { status: 'refunded' } })
    expect(await leftOf(shopper)).toBe(500)
    expect(await playbackCode(site, shopper)).toBe(402)
    expect((await unlock(shopper, 4)).code).toBe(409)
  })

  test('is refused after two minutes, for an ordinary purchase, and for another user’s order', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    const { info: order } = await unlock(shopper, 4)
    const { info: pressed } = await shopper.tryOrder({ episode_id: episodeIdOf(site, 5), gateway: 'balance' })
    expect((await undoUnlock(shopper, pressed?.id)).code).toBe(404)
    expect((await undoUnlock(await Shopper.create(site), order?.id)).code).toBe(404)
    site.advanceClock(2 * minute + 1000)
    expect(await undoUnlock(shopper, order?.id)).toMatchObject({
      code: 409,
      message: 'This unlock can no longer be undone.',
    })
    expect(await leftOf(shopper)).toBe(302)
  })

  test('does not raise the number of unlocks that are left for the day', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper, 1)
    await undoUnlock(shopper, (await unlock(shopper, 4)).info?.id)
    expect(await enableAutoUnlock(shopper, 1)).toMatchObject({ remaining_today: 0 })
    expect((await unlock(shopper, 4)).code).toBe(409)
  })

  test('is possible once per drama within 24 hours', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    await undoUnlock(shopper, (await unlock(shopper, 4)).info?.id)
    site.advanceClock(23 * 60 * minute)
    await enableAutoUnlock(shopper)
    const { info: again } = await unlock(shopper, 4)
    expect(again).toMatchObject({ status: 'paid', auto_unlock: { can_undo: false } })
    expect(await undoUnlock(shopper, again?.id)).toMatchObject({
      code: 409,
      message: 'You can undo one automatic unlock per drama within 24 hours.',
    })
    expect(await leftOf(shopper)).toBe(401)
    expect(await playbackCode(site, shopper)).toBe(200)
    // Auto-unlock stays on, because nothing was undone.
    site.advanceClock(61 * minute)
    const { info: later } = await unlock(shopper, 5)
    expect(later).toMatchObject({ auto_unlock: { can_undo: true } })
    expect(await undoUnlock(shopper, later?.id)).toMatchObject({ code: 200, info: { status: 'refunded' } })
  })

  test('is possible in a second drama after an undo in the first', async () => {
    const shopper = await createShopper()
    const other = await buildVideo(site.context)
    await enableAutoUnlock(shopper)
    await undoUnlock(shopper, (await unlock(shopper, 4)).info?.id)
    await enableAutoUnlock(shopper, 5, other.id)
    const { info } = await unlock(shopper, 4, other.episodes[3]?.id)
    expect(await undoUnlock(shopper, info?.id)).toMatchObject({ code: 200, info: { status: 'refunded' } })
  })

  test('undoes only one of three unlocks whose undo is requested concurrently', async () => {
    const shopper = await createShopper()
    await enableAutoUnlock(shopper)
    const orders = [await unlock(shopper, 4), await unlock(shopper, 5), await unlock(shopper, 6)]
    const answers = await Promise.all(orders.map(({ info }) => undoUnlock(shopper, info?.id)))
    expect(answers.map(({ code }) => code).toSorted()).toEqual([200, 409, 409])
    expect(await leftOf(shopper)).toBe(302)
  })
})
