import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getEpisode } from '#contract/media.ts'
import { showExperiment, stopExperiment, type Experiment } from '#contract/studio/experiments.ts'
import { aggregateExperimentSales } from '#server/features/billing/reporting/experiment-sales.ts'
import { refundOrder } from '#server/features/billing/refunds/refund-order.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createGuestInVariant, createRunningExperiment } from '#server/testing/builders/experiment.ts'
import { startBillingSite, type BillingSite } from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let site: BillingSite
let owner: TestOperator
let video: BuiltVideo
/** The experiment: half of the viewers of `video` have five free episodes instead of three. */
let experiment: Experiment

beforeAll(async () => (site = await startBillingSite()))
afterAll(() => site.close())
beforeEach(async () => {
  owner = await signInOperator(site, 'owner')
  video = await buildVideo(site.context)
})

/** Moves the clock by a second. A change of experiments is visible after at most that time. */
const settle = () => site.advanceClock(1000)

async function start(): Promise<void> {
  const variants = [{ share: 50 }, { share: 50, free_episodes: 5 }]
  experiment = await createRunningExperiment(owner.studio, {
    kind: 'free_episodes',
    target: video.id,
    variants,
  })
  settle()
}

async function stop(): Promise<void> {
  await owner.studio.callOk(stopExperiment, { body: { id: experiment.id } })
  settle()
}

const guest = (variant: number) => createGuestInVariant(site, experiment, variant)
const idOf = (number: number) => video.episodes[number - 1]?.id ?? ''
const play = async (visitor: Visitor, number: number) =>
  (await visitor.call(getEpisode, { query: { episode_id: idOf(number) } })).answer
const result = () => owner.studio.callOk(showExperiment, { query: { id: experiment.id } })

describe('the result', () => {
  it('ignores plays with the old token of a guest who has since registered', async () => {
    await start()
    const [visitor, other] = [await guest(1), await guest(1)]
    const first = visitor.cookie
    await registerMember(site, visitor)
    await play(site.visitor({ cookie: first }), 4)
    await play(other, 4)
    expect((await result()).variants.map(({ exposed }) => exposed)).toEqual([0, 1])
  })

  it('counts each exposed viewer once, with the ledger lines from the exposure to the end of the experiment', async () => {
    await start()
    const early = await Shopper.create(site, await guest(0))
    await early.buy({ episode_id: idOf(6) })
    const [usual, more] = [await guest(0), await guest(1)]
    for (const visitor of [early.visitor, usual, more, more]) await play(visitor, 4)
    await play(more, 1)
    const buyer = await Shopper.create(site, more)
    await buyer.buy({ episode_id: idOf(6) })
    const { info: order } = await buyer.buy({ kind: 'video', video_id: site.video.id })
    await refundOrder(site.context, order?.id ?? '', { amountCents: 500, reason: 'goodwill' })
    const shown = await result()
    expect(shown).toMatchObject({
      has_too_few_viewers: true,
      has_sample_ratio_mismatch: false,
      min_viewers: 7600,
    })
    expect(shown.variants[0]).toMatchObject({ exposed: 2, buyers: 0, conversion_difference: null })
    expect(shown.variants[1]).toMatchObject({
      exposed: 1,
      buyers: 1,
      conversion: { value: 1 },
      revenue: [{ currency: 'USD', net_cents: 99 + 999 - 500, per_viewer: { value: 598 } }],
    })
    const later = await Shopper.create(site, usual)
    await stop()
    await later.buy({ episode_id: idOf(6) })
    expect((await result()).variants[0]).toMatchObject({ buyers: 0 })
  })

  it('excludes viewers with an entitlement to the episode', async () => {
    const shopper = await Shopper.create(site)
    await shopper.buy({ kind: 'video', video_id: video.id })
    await start()
    expect((await play(shopper.visitor, 4)).code).toBe(200)
    expect((await result()).variants.map(({ exposed }) => exposed)).toEqual([0, 0])
  })
})

describe('the result of an experiment with many exposures', () => {
  const count = () => aggregateExperimentSales(site.context, new AbortController().signal)
  const addExposures = () =>
    site.context.database.pool.query(
      `INSERT INTO experiment_exposures (viewer_id, experiment_id, variant, at)
       SELECT 'usr_' || $1 || n, $1, 0, $2 FROM generate_series(1, 10001) n`,
      [experiment.id, site.context.clock.now()],
    )
  const buy = async () => {
    const visitor = await guest(1)
    await play(visitor, 4)
    const { info } = await (await Shopper.create(site, visitor)).buy({ episode_id: idOf(6) })
    return info?.id ?? ''
  }
  const shown = async () => {
    const { variants, counted_at } = await result()
    return { sold: variants[1]?.revenue[0]?.net_cents ?? 0, counted_at: counted_at ?? '' }
  }

  it('is empty before the first aggregation', async () => {
    await start()
    await addExposures()
    await buy()
    expect(await result()).toMatchObject({ variants: [], counted_at: null, has_too_few_viewers: true })
    await count()
    expect(await shown()).toEqual({ sold: 99, counted_at: expect.stringMatching(/^20/) })
  })

  it('has the figures of the last aggregation, and states the time of that aggregation', async () => {
    await start()
    await addExposures()
    await buy()
    await count()
    const counted = await shown()
    expect(counted.sold).toBe(99)
    await buy()
    site.advanceClock(60_000)
    expect(await shown()).toEqual(counted)
    await count()
    const later = await shown()
    expect(later.sold).toBe(198)
    expect(Date.parse(later.counted_at)).toBeGreaterThanOrEqual(Date.parse(counted.counted_at) + 60_000)
  })

  it('is aggregated again when the experiment stops, and then daily, because of refunds', async () => {
    await start()
    await addExposures()
    await count()
    const order = await buy()
    await stop()
    await count()
    expect(await shown()).toMatchObject({ sold: 99 })
    await refundOrder(site.context, order, { amountCents: 50, reason: 'goodwill' })
    await count()
    expect(await shown()).toMatchObject({ sold: 99 })
    site.advanceClock(25 * 3_600_000)
    await count()
    owner = await signInOperator(site, 'owner')
    expect(await shown()).toMatchObject({ sold: 49 })
  })

  it('is no longer aggregated 180 days after the end', async () => {
    await start()
    await addExposures()
    const order = await buy()
    await stop()
    await count()
    const refundAndCountAfter = async (days: number) => {
      await refundOrder(site.context, order, { amountCents: 10, reason: 'goodwill' })
      site.advanceClock(days * 24 * 3_600_000)
      await count()
      owner = await signInOperator(site, 'owner')
      return (await shown()).sold
    }
    expect(await refundAndCountAfter(179)).toBe(89)
    expect(await refundAndCountAfter(2)).toBe(89)
  })

  it('is aggregated less often while very many viewers are exposed', async () => {
    await start()
    await addExposures()
    await count()
    await site.context.db
      .updateTable('experiment_sales')
      .set({ variants: JSON.stringify([{ variant: 0, exposed: 10_000_000, buyers: 0, revenue: [] }]) })
      .where('experiment_id', '=', experiment.id)
      .execute()
    const soldAfter = async (minutes: number) => {
      site.advanceClock(minutes * 60_000)
      await count()
      return (await shown()).sold
    }
    await buy()
    expect(await soldAfter(30)).toBe(0)
    expect(await soldAfter(5)).toBe(99)
  })
})
