import { afterAll, beforeAll, expect, test } from 'vitest'
import { autoUnlock, getBalance, listBalanceEntries, setAutoUnlock } from '#contract/balance.ts'
import { getEpisode } from '#contract/media.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { episodeOf, moneySite, type MoneySite } from '#server/testing/site/money-site.ts'

let site: MoneySite

beforeAll(async () => {
  site = await moneySite()
})
afterAll(() => site.close())

const off = { code: 409, message: 'Balances are not available on this site.' }

test('while balances are off, which is the default, each call says so and offers have none', async () => {
  const shopper = await Shopper.on(site)
  const { visitor } = shopper
  const body = { video_id: site.video.id, daily_limit: 5, shown: 'words', immediate_delivery: true }
  expect((await visitor.call(getBalance)).answer).toMatchObject(off)
  expect((await visitor.call(listBalanceEntries)).answer).toMatchObject(off)
  expect((await visitor.call(setAutoUnlock, { body })).answer).toMatchObject(off)
  const unlock = { body: { episode_id: episodeOf(site) } }
  expect((await visitor.call(autoUnlock, unlock)).answer).toMatchObject(off)
  expect(await shopper.tryOrder({ kind: 'top_up', top_up_id: 'top_5' })).toMatchObject(off)
  expect(await shopper.tryOrder({ episode_id: episodeOf(site), gateway: 'balance' })).toMatchObject(off)
  const { answer } = await visitor.call(getEpisode, { query: { episode_id: episodeOf(site) } })
  expect(answer).toMatchObject({ code: 402 })
  expect(answer.info).not.toHaveProperty('balance')
})
