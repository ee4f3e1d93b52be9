import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { changeExperiment, createExperiment, startExperiment } from '#contract/studio/experiments.ts'
import { addPlan, changePlan, listStudioPlans } from '#contract/studio/plans.ts'
import { editVideo } from '#contract/studio/videos.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'

let site: BillingSite
let owner: TestOperator

beforeAll(async () => {
  site = await startBillingSite()
  owner = await signInOperator(site, 'owner')
})
afterAll(() => site.close())
afterEach(() => {
  delete site.gatewayOverrides.acceptsAmount
})

const takeFrom = (least: number) => {
  site.gatewayOverrides.acceptsAmount = (cents) => cents >= least
}
const refused = (field: string) => ({ code: 500, info: { field } })

describe('a price that no gateway accepts is refused', () => {
  it.each(['episode_cents', 'video_cents'] as const)('for the %s of a video', async (field) => {
    takeFrom(50)
    const edit = (cents: number) =>
      owner.studio.call(editVideo, { body: { id: site.video.id, [field]: cents } })
    expect((await edit(30)).answer).toMatchObject(refused(field))
    expect((await edit(60)).answer.code).toBe(200)
  })

  it('for a video in another currency', async () => {
    site.gatewayOverrides.acceptsAmount = (cents, currency) => currency === 'USD' || cents % 100 === 0
    const edit = (episode_cents: number) => {
      const body = { id: site.video.id, currency: 'JPY', episode_cents, video_cents: 9900 }
      return owner.studio.call(editVideo, { body })
    }
    expect((await edit(9950)).answer).toMatchObject(refused('episode_cents'))
    expect((await edit(9900)).answer.code).toBe(200)
    const back = { id: site.video.id, currency: 'USD', episode_cents: 99, video_cents: 999 }
    await owner.studio.callOk(editVideo, { body: back })
  })

  it('for a variant of an experiment that is created, changed or started', async () => {
    const variants = (price_cents: number) => [{ share: 50 }, { share: 50, price_cents }]
    const draft = { kind: 'episode_price' as const, name: 'Prices', target: site.video.id }
    takeFrom(50)
    const rejected = await owner.studio.call(createExperiment, { body: { ...draft, variants: variants(30) } })
    expect(rejected.answer).toMatchObject(refused('variants'))
    const { id } = await owner.studio.callOk(createExperiment, { body: { ...draft, variants: variants(60) } })
    const changed = await owner.studio.call(changeExperiment, { body: { id, variants: variants(30) } })
    expect(changed.answer).toMatchObject(refused('variants'))
    takeFrom(70)
    expect((await owner.studio.call(startExperiment, { body: { id } })).answer).toMatchObject(
      refused('variants'),
    )
  })

  it('for a plan, both for the introductory price and the regular price', async () => {
    const [plan] = (await owner.studio.callOk(listStudioPlans)).list
    const body = {
      names: { en: 'Half' },
      descriptions: { en: 'Some.' },
      currency: 'USD',
      period_days: 14,
    } as const
    const add = (prices: { price_cents: number; intro_price_cents?: number }) =>
      owner.studio.call(addPlan, { body: { ...body, ...prices } })
    takeFrom(50)
    expect((await add({ price_cents: 900, intro_price_cents: 30 })).answer).toMatchObject(
      refused('price_cents'),
    )
    site.gatewayOverrides.acceptsAmount = (cents) => cents <= 500
    expect((await add({ price_cents: 900, intro_price_cents: 300 })).answer).toMatchObject(
      refused('price_cents'),
    )
    const change = { id: plan?.id ?? '', price_cents: 901 }
    expect((await owner.studio.call(changePlan, { body: change })).answer).toMatchObject(
      refused('price_cents'),
    )
  })
})
