import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startPushAlerts } from '#contract/alerts.ts'
import { addFavorite, removeFavorites } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import { sendAlerts } from '#server/features/alerts/send-alerts.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { releaseEpisodes } from '#server/testing/builders/release-episodes.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import {
  startFakePushService,
  PushBrowser,
  type FakePushService,
} from '#server/testing/fakes/fake-push-service.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import type { Db } from '#server/tables.ts'
import { derivePushKeys } from './vapid-keys.ts'
import { claimPushes, deletePush, postponePush } from './push-queries.ts'
import { sendPushes, type PushContext } from './send-pushes.ts'

const time = {
  now: new Date('2026-03-01T12:00:00Z'),
  advance(minutes: number) {
    time.now = new Date(time.now.getTime() + minutes * 60_000)
  },
}
let site: TestSite
let video: BuiltVideo
let service: FakePushService
let subscriber: Visitor

beforeAll(async () => {
  site = await startTestSite({ clock: { now: () => time.now } })
  service = await startFakePushService()
})
afterAll(async () => {
  await service.close()
  await site.close()
})
beforeEach(async () => {
  time.advance(60)
  await site.context.db.deleteFrom('push_subscriptions').execute()
  service.received.length = 0
  service.reply = () => ({ status: 201 })
  video = await buildVideo(site.context, { title: 'Salt', episodes: 6, ready: 2 })
  subscriber = site.visitor()
  await subscriber.callOk(getUser)
  await subscriber.callOk(addFavorite, { body: { video_id: video.id } })
})

async function subscribe(host?: string): Promise<PushBrowser> {
  const browser = new PushBrowser(host)
  await subscriber.callOk(startPushAlerts, { body: browser.subscription })
  return browser
}

/** Adds browsers to the subscriber, beyond the maximum per user. */
async function addBrowsers(hosts: readonly string[]): Promise<void> {
  const { id: user_id } = await subscriber.callOk(getUser)
  const { publicKey: public_key } = site.context.pushKeys
  const rows = hosts.map((host, i) => ({
    id: `${i}-${host}`,
    user_id,
    ...new PushBrowser(host).subscription,
    public_key,
    created_at: time.now,
  }))
  await site.context.db.insertInto('push_subscriptions').values(rows).execute()
}

/** Completes a release, so that its pushes are queued. */
async function release(...numbers: number[]): Promise<void> {
  await releaseEpisodes(site.context, video, ...numbers)
  await sendAlerts(site.context)
  time.advance(11)
  await sendAlerts(site.context)
}

const send = (more: Partial<PushContext> = {}, signal?: AbortSignal) =>
  sendPushes({ ...site.context, pushAgent: service.agent, ...more }, signal)
const claim = (key = site.context.pushKeys.publicKey) =>
  claimPushes(site.context.db, key, time.now, new Date(time.now.getTime() + 120_000), 20)
const loadMessages = () => site.context.db.selectFrom('push_messages').selectAll().execute()
const times = <Item>(count: number, item: (i: number) => Item) =>
  Array.from({ length: count }, (_, i) => item(i))

describe('a service that does not respond', () => {
  it('does not delay other services, and its pushes are released when the process closes', async () => {
    const answers = Promise.withResolvers<'nothing'>()
    service.reply = ({ host }) => (host?.endsWith('.slow.com') ? answers.promise : { status: 201 })
    // With 20 silent hosts, every slot of the run would be occupied.
    await addBrowsers([
      ...times(19, (i) => `push.slow-${i}.slow.com`),
      ...times(30, () => 'push.example.com'),
    ])
    await release(3)
    const closing = new AbortController()
    const sending = send({ pushTimeoutMs: 60_000 }, closing.signal)
    await expect.poll(async () => (await loadMessages()).length).toBe(19)
    closing.abort()
    await sending
    answers.resolve('nothing')
    expect(await loadMessages()).toEqual(
      times(19, () => expect.objectContaining({ attempts: 0, next_attempt_at: time.now })),
    )
  })

  it('gets few requests per run, even if each request has another host name, and its other pushes are postponed', async () => {
    service.reply = ({ host }) => (host?.endsWith('.silent.com') ? 'nothing' : { status: 201 })
    await addBrowsers(times(60, (i) => `push-${i}.silent.com`))
    await release(3)
    await send({ pushTimeoutMs: 200 })
    // 20 requests are concurrent. Two more may be sent before three are known to have timed out.
    expect(service.received.length).toBeLessThanOrEqual(22)
    const remaining = await loadMessages()
    expect(remaining).toHaveLength(60)
    expect(remaining.filter(({ attempts }) => attempts === 0).length).toBeGreaterThanOrEqual(38)
    expect(remaining.every(({ next_attempt_at }) => next_attempt_at > time.now)).toBe(true)
  })

  it('gets a retry only after the pushes that have fewer attempts', async () => {
    await subscribe('push.silent.com')
    service.reply = () => ({ status: 503 })
    await release(3)
    await send()
    await subscribe('push.example.com')
    time.advance(10)
    const other = await buildVideo(site.context, { title: 'Pepper', episodes: 6, ready: 2 })
    await subscriber.callOk(addFavorite, { body: { video_id: other.id } })
    video = other
    await release(3)
    expect((await claim()).map(({ attempts }) => attempts).toSorted()).toEqual([1, 1, 2])
    const { db, pushKeys } = site.context
    time.advance(3)
    const next = await claimPushes(db, pushKeys.publicKey, time.now, new Date(time.now.getTime() + 1), 2)
    expect(next.map(({ attempts }) => attempts)).toEqual([2, 2])
  })
})

it('an error of one push ends the run only after the other pushes have been answered', async () => {
  const failed = Promise.withResolvers<{ status: number }>()
  service.reply = ({ host }) => (host === 'push.broken.com' ? { status: 400 } : failed.promise)
  await addBrowsers(['push.broken.com', ...times(5, () => 'push.example.com')])
  await release(3)
  const order: string[] = []
  const answerOthers = () => {
    order.push('the others are answered')
    failed.resolve({ status: 201 })
  }
  const warn = () => {
    // If the run did not wait for the other pushes, it would end before this query does.
    void loadMessages().then(answerOthers)
    throw new Error('the log is full')
  }
  const log = Object.assign(Object.create(site.context.log), { warn })
  const ended = send({ log }).finally(() => order.push('the run is over'))
  await expect(ended).rejects.toThrow('the log is full')
  expect(order).toEqual(['the others are answered', 'the run is over'])
  expect(await loadMessages()).toMatchObject([{ subscription_id: '0-push.broken.com' }])
})

it('a push is not sent if the favorite was removed after the release', async () => {
  await subscribe()
  await release(3)
  await subscriber.callOk(removeFavorites, { body: { video_ids: [video.id] } })
  await send()
  expect([service.received, await loadMessages()]).toEqual([[], []])
})

describe('a claim', () => {
  it('that has expired cannot delete or postpone a push that was claimed again', async () => {
    await subscribe()
    await release(3)
    const [first] = await claim()
    if (!first) throw new Error('nothing was due')
    await release(4)
    // The merged release resets `attempts`, so both claims have the same `attempts`.
    const [second] = await claim()
    const { db } = site.context
    await deletePush(db, first)
    await postponePush(db, first, new Date(time.now.getTime() + 999_000))
    expect(await loadMessages()).toMatchObject([
      { number: 3, count: 2, attempts: first.attempts, next_attempt_at: second?.next_attempt_at },
    ])
  })

  it('takes a push whose subscription was made with another public key, but only after the push has expired', async () => {
    await subscribe()
    await release(3)
    const { publicKey } = derivePushKeys('another secret of thirty-two characters')
    expect(await claim(publicKey)).toEqual([])
    expect(await loadMessages()).toMatchObject([{ attempts: 0 }])
    time.advance(3 * 24 * 60)
    expect(await claim(publicKey)).toHaveLength(1)
  })

  it('reads due pushes from an index, without a table scan', async () => {
    await site.context.database.pool.query(`
      INSERT INTO users (id, referral_code) VALUES ('usr_many', 'many');
      INSERT INTO push_subscriptions (id, user_id, endpoint, p256dh, auth, public_key, created_at)
        SELECT n, 'usr_many', 'https://push.example.com/' || n, '', '', 'key', now() FROM generate_series(1, 20000) n;
      INSERT INTO push_messages (subscription_id, video_id, number, count, next_attempt_at, expires_at)
        SELECT n, '${video.id}', 1, 1, '2026-03-01', '2026-03-04' FROM generate_series(1, 20000) n;
      ANALYZE push_subscriptions, push_messages`)
    const claim = (db: Db) => claimPushes(db, 'key', time.now, time.now, 20)
    const plans = await queryPlans(site.context.database, claim, 'these values')
    expect(plans).toHaveLength(1)
    expect(plans[0]?.plan).toContain('push_messages_order')
    expect(plans[0]?.plan).not.toMatch(/Seq Scan on push_/)
  })
})
