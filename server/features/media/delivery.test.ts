import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createOrder, unlockEpisode } from '#contract/billing.ts'
import { getEpisode, type PlayableEpisode } from '#contract/media.ts'
import { changeUser, getUser } from '#contract/members.ts'
import type { Clock } from '#server/platform/clock.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { grantEntitlement } from '#server/features/library/library.ts'
import { countEpisodes } from './ingest/asset-queries.ts'
import { insertPaidOrder, insertUserRow } from '#server/testing/builders/order-rows.ts'

const time = { now: new Date() }
const clock: Clock = { now: () => time.now }
let site: TestSite
let video: BuiltVideo
let visitor: Visitor

beforeAll(async () => {
  site = await startTestSite({ clock })
  video = await buildVideo(site.context)
  visitor = site.visitor()
  await visitor.callOk(getUser)
})
afterAll(() => site.close())

const episode = (number: number) => video.episodes[number - 1]?.id ?? ''
const assetOf = (number: number) => video.episodes[number - 1]?.assetId ?? ''

async function play(number: number, as = visitor): Promise<PlayableEpisode> {
  return (await as.callOk(getEpisode, { query: { episode_id: episode(number) } })) as PlayableEpisode
}

const siblingUrl = (url: string, file: string) => url.replace('master.m3u8', file)

describe('a free episode', () => {
  it('has a playlist, segment, captions and storyboard for everyone, each with its content type', async () => {
    const { playback, next } = await play(1)
    const type = async (file: string) => {
      const response = await visitor.fetch(siblingUrl(playback.hls_url, file))
      return [response.status, response.headers.get('content-type')]
    }
    expect(await type('master.m3u8')).toEqual([200, 'application/vnd.apple.mpegurl'])
    expect(await type('v0/00000.m4s')).toEqual([200, 'video/iso.segment'])
    expect(await type('captions/en.vtt')).toEqual([200, 'text/vtt; charset=utf-8'])
    expect(await type('storyboard.vtt')).toEqual([200, 'text/vtt; charset=utf-8'])
    expect(next).toMatchObject({ number: 2, state: 'free' })
    expect(playback.encrypted).toBe(false)
  })

  it('has segments that support ranges and are cacheable until their link expires', async () => {
    const { playback } = await play(1)
    const response = await visitor.fetch(siblingUrl(playback.hls_url, 'v0/00000.m4s'), {
      headers: { range: 'bytes=0-6' },
    })
    expect(response.status).toBe(206)
    expect(await response.text()).toBe('segment')
    expect(response.headers.get('cache-control')).toMatch(/^private, max-age=\d+, immutable$/)
  })

  it('has one link for all guests without a row, and an individual link for each other viewer', async () => {
    const [first, second, member] = [site.visitor(), site.visitor(), site.visitor()]
    const { id } = await member.callOk(getUser)
    await Promise.all([first, second].map((each) => each.callOk(getUser)))
    await member.callOk(changeUser, { body: { display_name: 'Ada' } })
    const linkOf = async (as: Visitor) => (await play(2, as)).playback.hls_url
    expect(await linkOf(first)).toBe(await linkOf(second))
    expect(await linkOf(member)).toContain(`.${id}.`)
    expect(await linkOf(first)).not.toContain('usr_')
  })
})

describe('a locked episode', () => {
  it('is refused with the offer and without a link', async () => {
    const { answer } = await visitor.call(getEpisode, { query: { episode_id: episode(4) } })
    expect(answer).toMatchObject({
      code: 402,
      info: { episode: { number: 4 }, price: { episode_cents: 99, video_cents: 999, currency: 'USD' } },
    })
    expect(answer.info).toHaveProperty('plans')
    expect(JSON.stringify(answer)).not.toContain('/media/')
  })

  it.each([
    'master.m3u8',
    'v0/index.m3u8',
    'v0/00000.m4s',
    'captions/en.vtt',
    'storyboard.vtt',
    'thumb.webp',
  ])(
    "is protected: %s is not served by another episode's link, by an altered link or without a link",
    async (file) => {
      const { playback } = await play(1)
      const foreign = siblingUrl(playback.hls_url, file).replace(assetOf(1), assetOf(4))
      const [, , signature = '', asset = ''] = playback.hls_url.split('/')
      const [expires = '', subject, mac] = signature.split('.')
      const longer = `/media/${Number(expires) + 9999}.${subject}.${mac}/${asset}/${file}`
      for (const url of [foreign, longer, `/media/${asset}/${file}`, `/media/x/${assetOf(4)}/${file}`]) {
        const response = await visitor.fetch(url)
        expect(response.ok, url).toBe(false)
        expect(await response.text()).not.toMatch(/EXTM3U|segment|WEBVTT|thumb/)
      }
    },
  )

  it('has its public blurred still as image, and no sharp image', async () => {
    const { list } = (await visitor.callOk(getEpisode, { query: { video_id: video.id } })) as {
      list: { thumb_url: string; state: string }[]
    }
    expect(list.map(({ state }) => state)).toEqual(['free', 'free', 'free', 'locked', 'locked', 'locked'])
    expect(list[3]?.thumb_url).toBe(`/public/${assetOf(4)}/still.webp`)
    expect((await visitor.fetch(list[3]?.thumb_url ?? '')).status).toBe(200)
  })
})

describe('an unlocked episode', () => {
  it('plays for its buyer and is locked for other viewers', async () => {
    const buyer = site.visitor()
    const { id } = await buyer.callOk(getUser)
    await buy(id, { videoId: video.id, episodeId: episode(4) })
    buyer.cookie = await storedGuestCookie(buyer)
    expect((await play(4, buyer)).episode.state).toBe('unlocked')
    const other = await visitor.call(getEpisode, { query: { episode_id: episode(4) } })
    const next = await buyer.call(getEpisode, { query: { episode_id: episode(5) } })
    expect([other.answer.code, next.answer.code]).toEqual([402, 402])
  })

  it('gets no new link after the viewer’s subscription has ended, and the old link expires', async () => {
    const member = site.visitor()
    const { id } = await member.callOk(getUser)
    await buy(id, { endsAt: new Date(time.now.getTime() + 60_000) })
    member.cookie = await storedGuestCookie(member)
    const { playback } = await play(6, member)
    time.now = new Date(time.now.getTime() + 61_000)
    expect((await member.call(getEpisode, { query: { episode_id: episode(6) } })).answer.code).toBe(402)
    expect((await member.fetch(playback.hls_url)).status).toBe(200)
    time.now = new Date(playback.expires_at)
    expect((await member.fetch(playback.hls_url)).status).toBe(410)
  })
})

it('an unfinished series is sold as a whole once a locked episode is ready, and the offer has the number of ready episodes', async () => {
  const order = (video_id: string) =>
    visitor.call(createOrder, {
      body: { kind: 'video', video_id, gateway: 'sandbox', email: 'viewer@example.com' },
    })
  const draft = await buildVideo(site.context, { ready: 3 })
  expect((await order(draft.id)).answer.code).toBe(404)
  const running = await buildVideo(site.context, { ready: 4 })
  const query = { episode_id: running.episodes[3]?.id ?? '' }
  expect((await visitor.call(getEpisode, { query })).answer).toMatchObject({
    code: 402,
    info: { video: { episode_count: 6, ready_count: 4 } },
  })
  expect((await order(running.id)).answer).toMatchObject({ code: 200, info: { amount_cents: 999 } })
})

it('a request for an episode that is being converted returns its progress', async () => {
  const unfinished = await buildVideo(site.context, { ready: 0 })
  const { answer } = await visitor.call(getEpisode, {
    query: { episode_id: unfinished.episodes[0]?.id ?? '' },
  })
  expect(answer).toMatchObject({ code: 409, info: { progress: 0 } })
})

it('an episode without a playable file is not offered', async () => {
  const unfinished = await buildVideo(site.context, { ready: 3 })
  const body = { episode_id: unfinished.episodes[4]?.id ?? '' }
  const answers = [
    await visitor.call(getEpisode, { query: body }),
    await visitor.call(unlockEpisode, { body }),
    await visitor.call(createOrder, {
      body: { kind: 'episode', ...body, gateway: 'sandbox', email: 'viewer@example.com' },
    }),
  ]
  expect(answers.map(({ answer }) => answer.code)).toEqual([409, 409, 404])
})

it('an episode whose only file failed is not listed and not counted', async () => {
  const { id, episodes } = await buildVideo(site.context, { ready: 4 })
  const { db } = site.context
  const failed = db
    .selectFrom('episodes')
    .select('next_asset_id')
    .where('id', '=', episodes[5]?.id ?? '')
  await db.updateTable('assets').set({ state: 'failed' }).where('id', '=', failed).execute()
  const listed = await visitor.callOk(getEpisode, { query: { video_id: id } })
  expect('list' in listed && listed.list.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5])
  expect((await countEpisodes(db, id)).count).toBe(5)
})

it('an archived video is not offered, but plays for its buyer', async () => {
  const archived = await buildVideo(site.context, { state: 'archived' })
  const body = { episode_id: archived.episodes[4]?.id ?? '' }
  const [buyer, other] = [site.visitor(), site.visitor()]
  const { id } = await buyer.callOk(getUser)
  await other.callOk(getUser)
  await buy(id, { videoId: archived.id })
  buyer.cookie = await storedGuestCookie(buyer)
  const answers = [
    await other.call(getEpisode, { query: body }),
    await other.call(unlockEpisode, { body }),
    await buyer.call(getEpisode, { query: body }),
  ]
  expect(answers.map(({ answer }) => answer.code)).toEqual([404, 404, 200])
})

it('no file outside an asset is served by path traversal', async () => {
  const { playback } = await play(1)
  for (const path of [
    '../../../app-secret',
    '..%2f..%2f..%2fapp-secret',
    '%2e%2e/%2e%2e/%2e%2e/app-secret',
    '....//app-secret',
  ]) {
    const response = await visitor.fetch(siblingUrl(playback.hls_url, path))
    expect(response.ok, path).toBe(false)
  }
})

it.each(['master.m3u8', 'v0/00000.m4s'])(
  'no %s of a locked asset is served by path traversal from a free asset or the public files',
  async (file) => {
    const { playback } = await play(1)
    const locked = `${assetOf(4)}/${file}`.replaceAll('/', '%2f')
    const urls = [
      siblingUrl(playback.hls_url, `..%2f${locked}`),
      siblingUrl(playback.hls_url, `v0%2f..%2f..%2f${locked}`),
      `/public/..%2fmedia%2f${locked}`,
      `/public/${assetOf(4)}/..%2f..%2fmedia%2f${locked}`,
    ]
    for (const url of urls) expect((await visitor.fetch(url)).status, url).toBe(404)
  },
)

async function buy(
  userId: string,
  what: { videoId?: string; episodeId?: string; endsAt?: Date },
): Promise<void> {
  await site.context.db.transaction().execute(async (tx) => {
    await insertUserRow(tx, userId)
    const orderId = await insertPaidOrder(tx, userId, time.now)
    await grantEntitlement(tx, {
      userId,
      orderId,
      source: what.endsAt ? 'subscription' : 'purchase',
      startsAt: time.now,
      ...what,
    })
  })
}

/** Creates the guest's row, and returns the guest's cookie. */
async function storedGuestCookie(of: Visitor): Promise<string> {
  await of.callOk(changeUser, { body: { language: 'en' } })
  return of.cookie
}
