import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { getHomepage, getVideo } from '#contract/catalog.ts'
import { unlockEpisode } from '#contract/billing.ts'
import { saveHistory } from '#contract/library.ts'
import { getEpisode } from '#contract/media.ts'
import { exportUser, getUser, signIn } from '#contract/members.ts'
import {
  changeExperiment,
  createExperiment,
  listExperiments,
  showExperiment,
  startExperiment,
  stopExperiment,
  type Experiment,
} from '#contract/studio/experiments.ts'
import { listAuditEvents } from '#contract/studio/operators.ts'
import { editVideo } from '#contract/studio/videos.ts'
import { variantOf } from '#server/features/experiments/assign-variant.ts'
import { loadFirstScreen } from '#server/features/pages/first-screen/load-first-screen.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createGuestInVariant, createRunningExperiment } from '#server/testing/builders/experiment.ts'
import { startDraft } from '#server/features/experiments/experiments.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { startBillingSite, paymentOf, type BillingSite } from '#server/testing/site/billing-site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'

let site: BillingSite
let owner: TestOperator
let video: BuiltVideo

beforeAll(async () => {
  site = await startBillingSite()
  owner = await signInOperator(site, 'owner')
  video = await buildVideo(site.context)
})
afterAll(() => site.close())
afterEach(async () => {
  const { list } = await owner.studio.callOk(listExperiments)
  for (const { id, state } of list)
    if (state === 'running') await owner.studio.callOk(stopExperiment, { body: { id } })
  settle()
})

/** Moves the clock by a second. A change of experiments is visible after at most that time. */
const settle = () => site.advanceClock(1000)

const halves = (fields: object) => [{ share: 50 }, { share: 50, ...fields }]

async function startFree(free_episodes: number, target: string | null = video.id): Promise<Experiment> {
  const variants = halves({ free_episodes })
  const experiment = await createRunningExperiment(owner.studio, { kind: 'free_episodes', target, variants })
  settle()
  return experiment
}

const statesFor = async (visitor: Visitor) =>
  (
    (await visitor.callOk(getEpisode, { query: { video_id: video.id } })) as { list: { state: string }[] }
  ).list.map(({ state }) => state)
const idOf = (number: number) => video.episodes[number - 1]?.id ?? ''
const play = async (visitor: Visitor, number: number) =>
  (await visitor.call(getEpisode, { query: { episode_id: idOf(number) } })).answer
const resultOf = ({ id }: Experiment) => owner.studio.callOk(showExperiment, { query: { id } })

describe('the commands', () => {
  it('change, start and stop an experiment, and write each step to the audit log with the previous state', async () => {
    const { studio } = owner
    const variants = halves({ free_episodes: 5 })
    const body = { kind: 'free_episodes', name: 'Five', target: video.id, variants } as const
    const { id } = await studio.callOk(createExperiment, { body })
    await studio.callOk(changeExperiment, { body: { id, variants: halves({ free_episodes: 4 }) } })
    await studio.callOk(startExperiment, { body: { id } })
    expect((await studio.call(changeExperiment, { body: { id, name: 'x' } })).answer.code).toBe(409)
    expect(await studio.callOk(stopExperiment, { body: { id } })).toMatchObject({ state: 'stopped' })
    expect((await studio.call(startExperiment, { body: { id } })).answer.code).toBe(409)
    const { list } = await studio.callOk(listAuditEvents, { query: { subject: id } })
    expect(list.map(({ event }) => event)).toEqual(
      ['stop', 'start', 'change', 'create'].map((word) => `studio experiment ${word}`),
    )
    expect(list[2]).toMatchObject({
      details: { before: { variants: [{ share: 50 }, { free_episodes: 5 }] }, after: { name: 'Five' } },
    })
  })

  it('warn of unusual prices and numbers of free episodes in a draft’s variants', async () => {
    const warningsOf = async (kind: Experiment['kind'], fields: object) => {
      const body = { kind, name: 'Odd', target: video.id, variants: halves(fields) }
      const { id } = await owner.studio.callOk(createExperiment, { body })
      return (await owner.studio.callOk(showExperiment, { query: { id } })).warnings
    }
    expect(await warningsOf('episode_price', { price_cents: 1100 })).toEqual([
      { variant: 1, warning: 'episodePriceAboveVideo' },
    ])
    expect(await warningsOf('episode_price', { price_cents: 199 })).toEqual([])
    expect(await warningsOf('video_price', { price_cents: 50 })).toEqual([
      { variant: 1, warning: 'episodePriceAboveVideo' },
    ])
    expect(await warningsOf('free_episodes', { free_episodes: 6 })).toEqual([
      { variant: 1, warning: 'allEpisodesFree' },
    ])
    expect(await warningsOf('free_episodes', { free_episodes: 5 })).toEqual([])
  })

  it('allow only one running experiment on a target, even if several are started concurrently', async () => {
    const variants = halves({ free_episodes: 5 })
    const body = { kind: 'free_episodes', name: 'Five', target: video.id, variants } as const
    const drafts = await Promise.all([1, 2, 3].map(() => owner.studio.callOk(createExperiment, { body })))
    const { db, database, clock } = site.context
    const [first, ...others] = drafts.map(({ id }) => id)
    const later = await db.transaction().execute(async (tx) => {
      await startDraft(tx, first ?? '', null, clock.now())
      const starts = others.map((id) => owner.studio.call(startExperiment, { body: { id } }))
      await waitForLock(database.pool)
      return { starts }
    })
    const started = await Promise.all(later.starts)
    expect(started.map(({ answer }) => answer.code)).toEqual([409, 409])
  })

  it.each([
    ['shares that do not add up to 100', [{ share: 50 }, { share: 40, free_episodes: 5 }]],
    [
      'a first variant with changes',
      [
        { share: 50, free_episodes: 3 },
        { share: 50, free_episodes: 5 },
      ],
    ],
    ['a variant without a value', [{ share: 50 }, { share: 50 }]],
    ['a variant with a value of another kind', halves({ layout: 'card' })],
    ['two equal variants', [...halves({ free_episodes: 5 }), { share: 1, free_episodes: 5 }]],
  ])('refuse %s', async (_words, variants) => {
    const body = { kind: 'free_episodes', name: 'x', target: video.id, variants } as const
    const { answer } = await owner.studio.call(createExperiment, { body })
    expect(answer).toMatchObject({ code: 500, info: { field: 'variants' } })
  })

  it('refuse an unknown video', async () => {
    const variants = halves({ free_episodes: 5 })
    const body = { kind: 'free_episodes', name: 'x', target: 'vid_none', variants } as const
    expect((await owner.studio.call(createExperiment, { body })).answer.code).toBe(404)
  })
})

describe('the number of free episodes', () => {
  it('follows the variant: in the list, in playback, in saved positions and in purchases', async () => {
    const experiment = await startFree(5)
    const [usual, more] = [
      await createGuestInVariant(site, experiment, 0),
      await createGuestInVariant(site, experiment, 1),
    ]
    expect(await statesFor(usual)).toEqual(['free', 'free', 'free', 'locked', 'locked', 'locked'])
    expect(await statesFor(more)).toEqual(['free', 'free', 'free', 'free', 'free', 'locked'])
    expect((await play(usual, 4)).code).toBe(402)
    expect((await play(more, 4)).code).toBe(200)
    expect((await play(more, 6)).code).toBe(402)
    const position = {
      video_id: video.id,
      episode_id: idOf(4),
      position_ms: 1000,
      at: site.context.clock.now().toISOString(),
    }
    expect((await usual.call(saveHistory, { body: position })).answer.code).toBe(403)
    expect((await more.call(saveHistory, { body: position })).answer.code).toBe(200)
    const shopper = await Shopper.create(site, more)
    expect((await shopper.tryOrder({ episode_id: idOf(4) })).code).toBe(409)
    expect((await shopper.tryOrder({ episode_id: idOf(6) })).code).toBe(200)
  })

  it('may be lower than usual, and the additional locked episodes can be bought and played', async () => {
    const experiment = await startFree(1)
    const fewer = await createGuestInVariant(site, experiment, 1)
    expect((await play(fewer, 2)).code).toBe(402)
    expect((await fewer.call(unlockEpisode, { body: { episode_id: idOf(2) } })).answer.code).toBe(402)
    const shopper = await Shopper.create(site, fewer)
    expect((await shopper.buy({ episode_id: idOf(2) })).info).toMatchObject({ status: 'paid' })
    expect((await play(fewer, 2)).code).toBe(200)
  })

  it('does not affect bought episodes, which play even after the experiment', async () => {
    const experiment = await startFree(5)
    const more = await createGuestInVariant(site, experiment, 1)
    const shopper = await Shopper.create(site, more)
    expect((await play(more, 5)).code).toBe(200)
    await shopper.buy({ episode_id: idOf(6) })
    await owner.studio.callOk(stopExperiment, { body: { id: experiment.id } })
    settle()
    expect((await play(more, 6)).code).toBe(200)
    expect((await play(more, 5)).code).toBe(402)
    expect((await shopper.buy({ kind: 'video', video_id: video.id })).info).toMatchObject({ status: 'paid' })
    expect((await play(more, 5)).code).toBe(200)
  })

  it('puts a whole video on sale only if some episodes are locked for the viewer', async () => {
    const experiment = await startFree(6)
    const [usual, all] = [
      await createGuestInVariant(site, experiment, 0),
      await createGuestInVariant(site, experiment, 1),
    ]
    const orderParams = { kind: 'video', video_id: video.id } as const
    expect((await (await Shopper.create(site, usual)).tryOrder(orderParams)).code).toBe(200)
    expect((await (await Shopper.create(site, all)).tryOrder(orderParams)).code).toBe(404)
  })

  it('of an experiment on a video takes precedence over a site-wide experiment, which applies to the other videos', async () => {
    const all = await startFree(0, null)
    const one = await startFree(5)
    const visitor = await createGuestInVariant(site, all, 1)
    const { id } = await visitor.callOk(getUser)
    const free = variantOf(one, id) === 1 ? 5 : 3
    expect((await statesFor(visitor)).filter((state) => state === 'free')).toHaveLength(free)
    const other = await visitor.call(getEpisode, { query: { episode_id: site.video.episodes[0]?.id ?? '' } })
    expect(other.answer.code).toBe(402)
  })

  it('is the minimum of all variants for a viewer without an id, and the document states that the number may change', async () => {
    await startFree(1)
    const anonymous = site.visitor()
    expect((await statesFor(anonymous))[1]).toBe('locked')
    const open = (cookies: Record<string, string>) =>
      loadFirstScreen(site.context, { cookies, language: 'en', videoId: video.id, episodeNumber: 2 })
    expect(await open({})).toMatchObject({ undecided: true, playable: undefined })
  })

  it('follows the variant in the data that the document contains', async () => {
    const experiment = await startFree(5)
    const more = await createGuestInVariant(site, experiment, 1)
    const cookies = Object.fromEntries([more.cookie.split('=') as [string, string]])
    const screen = await loadFirstScreen(site.context, {
      cookies,
      language: 'en',
      videoId: video.id,
      episodeNumber: 4,
    })
    expect(screen).toMatchObject({ playable: { episode: { number: 4, state: 'free' } } })
    expect(screen).not.toHaveProperty('undecided')
  })

  it('gives viewers in different variants different links and responses', async () => {
    const experiment = await startFree(5)
    const [a, b] = [
      await createGuestInVariant(site, experiment, 1),
      await createGuestInVariant(site, experiment, 0),
    ]
    const answers = await Promise.all([play(a, 4), play(b, 4), play(a, 4), play(b, 4)])
    expect(answers.map(({ code }) => code)).toEqual([200, 402, 200, 402])
    const { id } = await a.callOk(getUser)
    expect(JSON.stringify(answers[0])).toContain(id)
    expect(JSON.stringify(await play(a, 2))).not.toContain(id)
  })
})

describe('a viewer', () => {
  it('gets the account’s variant after signing in, and counts as exposed once', async () => {
    const experiment = await startFree(5)
    const guest = await createGuestInVariant(site, experiment, 1)
    const { visitor, email, password } = await createMember(site)
    const { id } = await visitor.callOk(getUser)
    expect((await play(guest, 4)).code).toBe(200)
    await guest.callOk(signIn, { body: { email, password } })
    expect((await play(guest, 4)).code).toBe(variantOf(experiment, id) === 1 ? 200 : 402)
    // Only the first exposure counts, and it counts once.
    const { variants } = await resultOf(experiment)
    expect(variants.map(({ exposed }) => exposed)).toEqual([0, 1])
    expect(JSON.stringify(await guest.callOk(exportUser))).toContain('"experiment":"A trial"')
  })

  it('gets the checkout theme of the viewer’s own variant', async () => {
    const variants = halves({ layout: 'card', accent: '#00ff00' })
    const experiment = await createRunningExperiment(owner.studio, { kind: 'pay_theme', variants })
    settle()
    const themeOf = async (visitor: Visitor) => (await visitor.callOk(getHomepage)).pay_theme
    const [usual, green] = [
      await createGuestInVariant(site, experiment, 0),
      await createGuestInVariant(site, experiment, 1),
    ]
    for (const visitor of [usual, site.visitor()])
      expect(await themeOf(visitor)).toMatchObject({ layout: 'sheet', accent: '#ff8a4c' })
    expect(await themeOf(green)).toMatchObject({ id: 'ember', layout: 'card', accent: '#00ff00' })
    await play(green, 4)
    await play(green, 5)
    expect((await resultOf(experiment)).variants.map(({ exposed }) => exposed)).toEqual([0, 1])
  })
})

describe('the price', () => {
  async function startPrice(kind: 'episode_price' | 'video_price', price_cents: number): Promise<Experiment> {
    const variants = halves({ price_cents })
    const experiment = await createRunningExperiment(owner.studio, { kind, target: video.id, variants })
    settle()
    return experiment
  }
  const offerTo = async (visitor: Visitor, number = 4) =>
    ((await play(visitor, number)) as { info?: { price?: object } }).info?.price

  it('of an episode follows the variant: in the list, the offer, the order, the gateway and the ledger', async () => {
    const experiment = await startPrice('episode_price', 149)
    const [usual, dear] = [
      await createGuestInVariant(site, experiment, 0),
      await createGuestInVariant(site, experiment, 1),
    ]
    expect(await offerTo(usual)).toEqual({ episode_cents: 99, video_cents: 999, currency: 'USD' })
    expect(await offerTo(dear)).toEqual({ episode_cents: 149, video_cents: 999, currency: 'USD' })
    expect(await offerTo(site.visitor())).toMatchObject({ episode_cents: 99 })
    const listed = (await dear.callOk(getEpisode, { query: { video_id: video.id } })) as {
      list: { price_cents: number }[]
    }
    expect(listed.list[3]?.price_cents).toBe(149)
    const priceOn = async (visitor: Visitor) =>
      (await visitor.callOk(getVideo, { query: { id: video.id } })).price.episode_cents
    expect([await priceOn(usual), await priceOn(dear), await priceOn(site.visitor())]).toEqual([99, 149, 99])
    const shopper = await Shopper.create(site, dear)
    // An order at another price than the viewer's is refused.
    const shown = await shopper.tryOrder({ episode_id: idOf(4), amount_cents: 99 })
    expect(shown).toMatchObject({ code: 409, info: { amount_cents: 149 } })
    const order = await shopper.order({ episode_id: idOf(4), amount_cents: 149 })
    await owner.studio.callOk(stopExperiment, { body: { id: experiment.id } })
    settle()
    const paid = await shopper.tryPay(order.id, await shopper.cardToken())
    expect(paid.info).toMatchObject({ status: 'paid', amount_cents: 149 })
    expect(await paymentOf(site, order.id)).toMatchObject({ amountCents: 149 })
    expect(await offerTo(dear, 5)).toMatchObject({ episode_cents: 99 })
    const { variants } = await resultOf(experiment)
    expect(variants.map(({ exposed, buyers }) => [exposed, buyers])).toEqual([
      [1, 0],
      [1, 1],
    ])
    expect(variants[1]?.revenue).toMatchObject([{ net_cents: 149 }])
  })

  it('of a whole video follows the variant, but only for the video of the experiment', async () => {
    const experiment = await startPrice('video_price', 499)
    const cheap = await createGuestInVariant(site, experiment, 1)
    expect(await offerTo(cheap)).toMatchObject({ episode_cents: 99, video_cents: 499 })
    const shopper = await Shopper.create(site, cheap)
    const orderParams = { kind: 'video', video_id: video.id } as const
    expect(await shopper.order(orderParams)).toMatchObject({ amount_cents: 499 })
    expect(await shopper.order({ ...orderParams, video_id: site.video.id })).toMatchObject({
      amount_cents: 999,
    })
    const { price } = await cheap.callOk(getVideo, { query: { id: video.id } })
    expect(price).toMatchObject({ video_cents: 499 })
  })

  it('applies only in the currency in which the experiment was started', async () => {
    const other = await buildVideo(site.context)
    const draft = { kind: 'episode_price', target: other.id, variants: halves({ price_cents: 149 }) } as const
    const experiment = await createRunningExperiment(owner.studio, draft)
    settle()
    const dear = await createGuestInVariant(site, experiment, 1)
    const shopper = await Shopper.create(site, dear)
    const locked = other.episodes[3]?.id ?? ''
    expect(await shopper.order({ episode_id: locked })).toMatchObject({ amount_cents: 149, currency: 'USD' })
    await owner.studio.callOk(editVideo, { body: { id: other.id, currency: 'EUR' } })
    settle()
    const { price } = await dear.callOk(getVideo, { query: { id: other.id } })
    expect(price).toMatchObject({ episode_cents: 99, currency: 'EUR' })
    const next = other.episodes[4]?.id ?? ''
    expect(await shopper.order({ episode_id: next })).toMatchObject({ amount_cents: 99, currency: 'EUR' })
    expect((await resultOf(experiment)).experiment.currency).toBe('USD')
  })

  it('requires a video as the target of the experiment', async () => {
    const body = { kind: 'video_price', name: 'x', variants: halves({ price_cents: 499 }) } as const
    expect((await owner.studio.call(createExperiment, { body })).answer.code).toBe(404)
  })
})
