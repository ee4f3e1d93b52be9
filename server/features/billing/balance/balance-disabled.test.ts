import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  autoUnlock,
  getBalance,
  listBalanceEntries,
  refundBalance,
  setAutoUnlock,
  stopAutoUnlock,
} from '#contract/balance.ts'
import { expireBonus } from '#server/features/billing/jobs/expire-bonus.ts'
import { getEpisode } from '#contract/media.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { balanceOf, createTopUpProduct, purchaseTopUp } from '#server/testing/site/balance-site.ts'
import {
  episodeIdOf,
  startBillingSite,
  refundsOf,
  type BillingSite,
} from '#server/testing/site/billing-site.ts'

let site: BillingSite

beforeAll(async () => {
  site = await startBillingSite()
})
afterAll(() => site.close())

const off = { code: 409, message: 'Balances are not available on this site.' }

test('while balances are off (the default), calls about them are refused and offers do not include them', async () => {
  const shopper = await Shopper.create(site)
  const { visitor } = shopper
  const body = { video_id: site.video.id, daily_limit: 5, terms_text: 'words', immediate_delivery: true }
  expect((await visitor.call(getBalance)).answer).toMatchObject(off)
  expect((await visitor.call(listBalanceEntries)).answer).toMatchObject(off)
  expect((await visitor.call(setAutoUnlock, { body })).answer).toMatchObject(off)
  const unlock = { body: { episode_id: episodeIdOf(site) } }
  expect((await visitor.call(autoUnlock, unlock)).answer).toMatchObject(off)
  expect(await shopper.tryOrder({ kind: 'top_up', top_up_id: 'top_5' })).toMatchObject(off)
  expect(await shopper.tryOrder({ episode_id: episodeIdOf(site), gateway: 'balance' })).toMatchObject(off)
  const { answer } = await visitor.call(getEpisode, { query: { episode_id: episodeIdOf(site) } })
  expect(answer).toMatchObject({ code: 402 })
  expect(answer.info).not.toHaveProperty('balance')
})

/** Creates a shopper who topped up before balances were switched off. */
async function hadBalance() {
  const shopper = await Shopper.create(site)
  const what = await createTopUpProduct(site, 500, 50, 10)
  const { context } = site
  context.isBalanceEnabled = true
  try {
    const order = await purchaseTopUp(site, shopper, what)
    const params = { video_id: site.video.id, daily_limit: 5, terms_text: 'words', immediate_delivery: true }
    await shopper.visitor.callOk(setAutoUnlock, { body: params })
    return { shopper, order }
  } finally {
    context.isBalanceEnabled = false
  }
}

test('an earlier top-up is shown and can be refunded, but cannot be spent', async () => {
  const { shopper, order } = await hadBalance()
  const { visitor } = shopper
  expect(await visitor.callOk(getBalance)).toMatchObject({
    enabled: false,
    balances: [{ paid_cents: 500, bonus_cents: 50 }],
    top_ups: [],
    gateways: [],
    auto_unlocks: [{ video_id: site.video.id }],
  })
  expect((await visitor.callOk(listBalanceEntries)).list).toMatchObject([{ kind: 'top_up' }])
  expect(await shopper.tryOrder({ episode_id: episodeIdOf(site), gateway: 'balance' })).toMatchObject(off)
  await visitor.callOk(stopAutoUnlock, { body: { video_id: site.video.id } })
  await visitor.callOk(refundBalance, { body: {} })
  expect(await refundsOf(site, order.id)).toMatchObject([{ amount_cents: 500, status: 'succeeded' }])
  expect(await visitor.callOk(getBalance)).toMatchObject({ enabled: false, balances: [] })
})

test('expired bonus money is not booked as expired while balances are off', async () => {
  const { shopper } = await hadBalance()
  site.advanceClock(11 * 86_400_000)
  await expireBonus(site.context)
  expect(await balanceOf(shopper)).toMatchObject({ paid_cents: 500 })
  expect((await shopper.visitor.callOk(listBalanceEntries)).list).toMatchObject([{ kind: 'top_up' }])
})
