import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { changeAlerts, startPushAlerts, stopPushAlerts } from '#contract/alerts.ts'
import { addFavorite, removeFavorites } from '#contract/library.ts'
import { changeUser, getUser } from '#contract/members.ts'
import { sendAlerts } from '#server/features/alerts/send-alerts.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { registerMember } from '#server/testing/builders/register-member.ts'
import { releaseEpisodes } from '#server/testing/builders/release-episodes.ts'
import {
  startFakePushService,
  PushBrowser,
  verifyVapid,
  type FakePushService,
} from '#server/testing/fakes/fake-push-service.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Db } from '#server/tables.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { claimPushes } from './push-queries.ts'
import { sendPushes } from './send-pushes.ts'

const time = {
  now: new Date('2026-03-01T12:00:00Z'),
  advance(minutes: number) {
    time.now = new Date(time.now.getTime() + minutes * 60_000)
  },
}
let site: TestSite
let video: BuiltVideo
let service: FakePushService

beforeAll(async () => {
  site = await startTestSite(
    { clock: { now: () => time.now } },
    { MAIL_FROM: 'Salt & Co <hello@drama.example>' },
  )
  service = await startFakePushService()
})
afterAll(async () => {
  await service.close()
  await site.close()
})
beforeEach(async () => {
  time.advance(60)
  await queue()
  await site.context.db.deleteFrom('push_subscriptions').execute()
  service.received.length = 0
  service.reply = () => ({ status: 201 })
  video = await buildVideo(site.context, { title: 'Salt', episodes: 6, ready: 2 })
})

/** Completes a release, so that its pushes are queued. */
async function queue(): Promise<void> {
  await sendAlerts(site.context)
  time.advance(11)
  await sendAlerts(site.context)
}
const send = (more: { pushTimeoutMs?: number } = {}) =>
  sendPushes({ ...site.context, pushAgent: service.agent, ...more })

async function publish(...numbers: number[]): Promise<void> {
  await releaseEpisodes(site.context, video, ...numbers)
  await queue()
  await send()
}

/** Creates a guest with the drama among their favorites, and a browser with notifications on. */
async function createSubscriber(visitor: Visitor = site.visitor(), browser = new PushBrowser()) {
  await visitor.callOk(getUser)
  await visitor.callOk(addFavorite, { body: { video_id: video.id } })
  await visitor.callOk(startPushAlerts, { body: browser.subscription })
  return { visitor, browser, got: () => browser.read(service) }
}

const loadMessages = () => site.context.db.selectFrom('push_messages').selectAll().execute()
const subscribed = () => site.context.db.selectFrom('push_subscriptions').select('endpoint').execute()

describe('a release', () => {
  it('of several episodes is sent as one signed push that opens the first of them', async () => {
    const { got, browser } = await createSubscriber()
    await publish(3, 4)
    expect(got()).toEqual([
      {
        title: 'Salt',
        body: '2 new episodes',
        lang: 'en',
        icon: null,
        url: `/videos/${video.id}?episode=3`,
        tag: video.id,
      },
    ])
    const [received] = service.received
    expect(received?.host).toBe('push.example.com')
    expect(received?.headers).toMatchObject({
      ttl: String(3 * 86_400),
      urgency: 'normal',
      'content-encoding': 'aes128gcm',
      topic: expect.stringMatching(/^[\w-]{32}$/),
    })
    expect(received && verifyVapid(received, site.context.pushKeys.publicKey)).toMatchObject({
      aud: new URL(browser.subscription.endpoint).origin,
      sub: 'mailto:hello@drama.example',
    })
    await send()
    expect(got()).toHaveLength(1)
    await publish(5)
    expect(got().map(({ body }) => body)).toEqual(['2 new episodes', 'New episode'])
    expect(await loadMessages()).toEqual([])
  })

  it('is announced in each user’s language, with the cover of that language', async () => {
    const { visitor, got } = await createSubscriber()
    await visitor.callOk(changeUser, { body: { language: 'dy' } })
    const covers = { dy: { path: 'public/covers/salz.webp', color: '#112233' } }
    await site.context.db
      .updateTable('videos')
      .set({ language_covers: JSON.stringify(covers) })
      .where('id', '=', video.id)
      .execute()
    await publish(3)
    expect(got()).toMatchObject([{ body: 'Neue Folge', lang: 'de', icon: '/public/covers/salz.webp' }])
  })

  it('with a title of maximum length fits into a push of 4 KB', async () => {
    await createSubscriber()
    const titles = JSON.stringify({ en: '\u{1F30A}'.repeat(200) })
    await site.context.db.updateTable('videos').set({ titles }).where('id', '=', video.id).execute()
    await publish(3)
    expect(service.received).toHaveLength(1)
    expect(service.received[0]?.body.length).toBeLessThanOrEqual(4096)
  })

  it('is pushed to each browser of a user, and also mailed if the user chose mails', async () => {
    const { visitor, email, user } = await registerMember(site)
    await site.context.db
      .updateTable('users')
      .set({ email_verified_at: time.now })
      .where('id', '=', user.id)
      .execute()
    const phone = await createSubscriber(visitor)
    const laptop = await createSubscriber(visitor, new PushBrowser('updates.push.example.org'))
    const mailed = async () => (await site.mails(email)).filter(({ text }) => text.includes('Salt')).length
    await publish(3)
    expect([phone.got().length, laptop.got().length, await mailed()]).toEqual([1, 1, 0])
    await visitor.callOk(changeAlerts, { body: { mail: true } })
    await publish(4)
    expect([phone.got().length, laptop.got().length, await mailed()]).toEqual([2, 2, 1])
  })

  it('is not pushed if notifications are off, or the favorite was removed or was added after the release', async () => {
    const off = await createSubscriber()
    await off.visitor.callOk(stopPushAlerts, { body: { endpoint: off.browser.subscription.endpoint } })
    const former = await createSubscriber()
    await former.visitor.callOk(removeFavorites, { body: { video_ids: [video.id] } })
    await releaseEpisodes(site.context, video, 3)
    await sendAlerts(site.context)
    time.advance(1)
    await createSubscriber()
    await queue()
    await send()
    expect(service.received).toEqual([])
  })

  /** Subscribes fifty more browsers of a subscriber, and queues a release for each browser. */
  async function fiftyBrowsers(): Promise<PushBrowser[]> {
    const browsers = Array.from({ length: 50 }, () => new PushBrowser())
    const { visitor } = await createSubscriber()
    const { id: user_id } = await visitor.callOk(getUser)
    await site.context.db
      .insertInto('push_subscriptions')
      .values(
        browsers.map(({ subscription }, i) => ({
          id: `${i}`,
          user_id,
          ...subscription,
          public_key: site.context.pushKeys.publicKey,
          created_at: time.now,
        })),
      )
      .execute()
    await releaseEpisodes(site.context, video, 3)
    await queue()
    return browsers
  }

  it('reaches each of many browsers once even if senders run concurrently and are interrupted', async () => {
    const browsers = await fiftyBrowsers()
    await sendPushes({ ...site.context, pushAgent: service.agent }, AbortSignal.abort())
    await Promise.all([send(), send(), send()])
    for (const browser of browsers) expect(browser.read(service)).toHaveLength(1)
  })

  it('is claimed by concurrent processes that do not wait for each other', async () => {
    await fiftyBrowsers()
    const { db } = site.context
    const claim = (from: Db, limit: number) =>
      claimPushes(
        from,
        site.context.pushKeys.publicKey,
        time.now,
        new Date(time.now.getTime() + 120_000),
        limit,
      )
    const [one, other] = await db
      .transaction()
      .execute(async (tx) => [await claim(tx, 20), await claim(db, 50)] as const)
    const claimedIds = [...one, ...other].map(({ subscription_id }) => subscription_id)
    expect([one.length, other.length, new Set(claimedIds).size]).toEqual([20, 31, 51])
  })

  it('is sent by another process after its claim expires if the claiming process has died', async () => {
    const { got } = await createSubscriber()
    await releaseEpisodes(site.context, video, 3)
    await queue()
    const { db, pushKeys } = site.context
    await claimPushes(db, pushKeys.publicKey, time.now, new Date(time.now.getTime() + 120_000), 20)
    await send()
    expect(got()).toEqual([])
    time.advance(2)
    await send()
    expect(got()).toHaveLength(1)
  })

  it('that is queued is sent in one push with the next release of the drama', async () => {
    const { got } = await createSubscriber()
    service.reply = () => ({ status: 503 })
    await publish(3)
    service.reply = () => ({ status: 201 })
    service.received.length = 0
    await publish(4)
    expect(got()).toMatchObject([{ body: '2 new episodes', url: `/videos/${video.id}?episode=3` }])
    expect(await loadMessages()).toEqual([])
  })
})

describe('a push service', () => {
  it.each([403, 404, 410])(
    'that does not know a subscription any more (%i) gets no further push for it',
    async (status) => {
      const [expired, other] = [await createSubscriber(), await createSubscriber()]
      const { pathname } = new URL(expired.browser.subscription.endpoint)
      service.reply = ({ path }) => ({ status: path === pathname ? status : 201 })
      await publish(3)
      expect(await subscribed()).toEqual([{ endpoint: other.browser.subscription.endpoint }])
      expect(await loadMessages()).toEqual([])
    },
  )

  it.each([
    ['seconds', () => '7200'],
    ['a date', () => new Date(time.now.getTime() + 7_200_000).toUTCString()],
  ])('that asks to wait (429, Retry-After in %s) gets no push until then', async (_, retryAfter) => {
    await createSubscriber()
    service.reply = () => ({ status: 429, headers: { 'retry-after': retryAfter() } })
    await publish(3)
    time.advance(119)
    await send()
    expect(service.received).toHaveLength(1)
    service.reply = () => ({ status: 201 })
    time.advance(1)
    await send()
    expect(service.received).toHaveLength(2)
    expect(await loadMessages()).toEqual([])
  })

  it('that asks to wait beyond the lifetime of a push gets no retry', async () => {
    await createSubscriber()
    service.reply = () => ({ status: 429, headers: { 'retry-after': '9999999' } })
    await publish(3)
    expect([await loadMessages(), (await subscribed()).length]).toEqual([[], 1])
  })

  it.each([500, 503])(
    'that fails (%i) gets retries with growing delays, and its subscription is deleted after the last retry',
    async (status) => {
      await createSubscriber()
      service.reply = () => ({ status })
      await publish(3)
      let tries = 1
      for (const minutes of [1, 5, 30, 120, 720]) {
        time.advance(minutes - 0.5)
        await send()
        expect(service.received).toHaveLength(tries)
        time.advance(0.5)
        await send()
        expect(service.received).toHaveLength(++tries)
      }
      expect([await loadMessages(), await subscribed()]).toEqual([[], []])
    },
  )

  it('that does not answer in time gets the push again', async () => {
    const { got } = await createSubscriber()
    await releaseEpisodes(site.context, video, 3)
    await queue()
    service.reply = () => 'nothing'
    // Long enough for a busy machine to deliver the push.
    await send({ pushTimeoutMs: 2000 })
    expect(await loadMessages()).toMatchObject([{ attempts: 1 }])
    service.reply = () => ({ status: 201 })
    time.advance(1)
    await send()
    expect(got()).toHaveLength(2)
    expect(await loadMessages()).toEqual([])
  })

  it.each([302, 400, 413])('that refuses a push (%i) gets that push only once', async (status) => {
    await createSubscriber()
    service.reply = () => ({ status, headers: { location: 'https://push.example.com/elsewhere' } })
    await publish(3)
    expect(service.received).toHaveLength(1)
    expect([await loadMessages(), (await subscribed()).length]).toEqual([[], 1])
  })

  it('in a private network gets nothing, and its subscription is deleted', async () => {
    await createSubscriber(site.visitor(), new PushBrowser('localhost.localdomain'))
    await site.context.db
      .updateTable('push_subscriptions')
      .set({ endpoint: 'https://localhost/send/x' })
      .execute()
    await releaseEpisodes(site.context, video, 3)
    await queue()
    await sendPushes(site.context)
    expect([await subscribed(), await loadMessages()]).toEqual([[], []])
  })
})

describe('outdated pushes are not sent:', () => {
  it('three days after the release', async () => {
    await createSubscriber()
    await releaseEpisodes(site.context, video, 3)
    await queue()
    time.advance(3 * 24 * 60)
    await send()
    expect([service.received, await loadMessages()]).toEqual([[], []])
  })

  it('after the drama was archived', async () => {
    await createSubscriber()
    await releaseEpisodes(site.context, video, 3)
    await queue()
    await site.context.db
      .updateTable('videos')
      .set({ state: 'archived' })
      .where('id', '=', video.id)
      .execute()
    await send()
    expect([service.received, await loadMessages()]).toEqual([[], []])
  })
})
