import { afterAll, beforeAll, expect, test } from 'vitest'
import { getEpisode } from '#contract/media.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'

let site: TestSite
let video: BuiltVideo

beforeAll(async () => {
  site = await startTestSite()
  video = await buildVideo(site.context)
})
afterAll(() => site.close())

test.each(['createOrder', 'payOrder'] as const)(
  'a repeated %s request returns the cookie again if the browser did not receive the first answer',
  async (call) => {
    const shopper = await Shopper.create(site)
    const before = shopper.visitor.cookie
    const episode_id = video.episodes[4]?.id ?? ''
    const key = { 'idempotency-key': `${call} 1` }
    const order = await shopper.order({ episode_id }, call === 'createOrder' ? key : {})
    const token = await shopper.cardToken()
    await shopper.tryPay(order.id, token, call === 'payOrder' ? key : {})
    shopper.visitor.cookie = before
    if (call === 'createOrder')
      expect(await shopper.order({ episode_id }, key)).toMatchObject({ id: order.id })
    else expect(await shopper.tryPay(order.id, token, key)).toMatchObject({ code: 200 })
    const { answer } = await shopper.visitor.call(getEpisode, { query: { episode_id } })
    expect(answer.code).toBe(200)
  },
)
