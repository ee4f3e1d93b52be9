import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { listHistory, saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import type { Clock } from '#server/platform/clock.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { insertPaidOrder, insertUserRow } from '#server/testing/builders/order-rows.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { grantEntitlement } from './library.ts'

const time = { now: new Date() }
const clock: Clock = { now: () => time.now }
let site: TestSite
let video: BuiltVideo
let visitor: Visitor
let userId: string

beforeAll(async () => {
  site = await startTestSite({ clock })
})
afterAll(() => site.close())
beforeEach(async () => {
  time.now = new Date('2026-03-01T12:00:00Z')
  video = await buildVideo(site.context)
  visitor = site.visitor()
  userId = (await visitor.callOk(getUser)).id
})

const minute = (number: number) => new Date(Date.parse('2026-03-01T12:00:00Z') + number * 60_000)
const episodeId = (number: number, of = video) => of.episodes[number - 1]?.id ?? ''

function grant(what: { videoId?: string; episodeId?: string; endsAt?: Date }, at: Date): Promise<string> {
  return site.context.db.transaction().execute(async (tx) => {
    await insertUserRow(tx, userId)
    const orderId = await insertPaidOrder(tx, userId, at)
    const source = what.videoId ? 'purchase' : 'subscription'
    await grantEntitlement(tx, { userId, orderId, source, startsAt: at, ...what })
    return orderId
  })
}

const watch = (number: number, of = video, position_ms = 500) =>
  visitor.callOk(saveHistory, {
    body: { video_id: of.id, episode_id: episodeId(number, of), position_ms, at: time.now.toISOString() },
  })

const unlocked = async (query = {}) =>
  (await visitor.callOk(listHistory, { query: { kind: 'unlocked', ...query } })).list.map(
    ({ video, episode, source, position_ms }) => [video.id, episode.number, source, position_ms],
  )

it('a bought episode or whole video is listed with its resume position', async () => {
  const other = await buildVideo(site.context)
  await grant({ videoId: video.id, episodeId: episodeId(4) }, minute(-2))
  await grant({ videoId: other.id }, minute(-1))
  await watch(4)
  // From here on, the guest's cookie states that the guest has records.
  expect(await unlocked()).toEqual([
    [other.id, 1, 'purchase', 0],
    [video.id, 4, 'purchase', 500],
  ])
})

it('each video is listed once, at its latest unlock, across pages', async () => {
  const other = await buildVideo(site.context)
  await grant({ videoId: video.id, episodeId: episodeId(4) }, minute(-5))
  await grant({ videoId: other.id }, minute(-4))
  await grant({ videoId: video.id, episodeId: episodeId(5) }, minute(-3))
  await watch(1)
  const first = await visitor.callOk(listHistory, { query: { kind: 'unlocked', limit: 1 } })
  expect(first.list).toMatchObject([{ video: { id: video.id }, episode: { number: 5 } }])
  expect(await unlocked({ limit: 1, cursor: first.next_cursor ?? '' })).toEqual([
    [other.id, 1, 'purchase', 0],
  ])
})

it('videos played by subscription are listed while the subscription is active', async () => {
  await grant({ endsAt: minute(60) }, minute(-1))
  await watch(1)
  expect(await unlocked()).toEqual([])
  await watch(4)
  time.now = minute(1)
  await watch(5)
  expect(await unlocked()).toEqual([[video.id, 5, 'subscription', 500]])
  time.now = minute(61)
  expect(await unlocked()).toEqual([])
  await grant({ endsAt: minute(120) }, minute(61))
  expect(await unlocked()).toEqual([[video.id, 5, 'subscription', 500]])
})

it('a revoked purchase is not listed', async () => {
  const orderId = await grant({ videoId: video.id }, minute(-1))
  await watch(4)
  await site.context.db
    .updateTable('entitlements')
    .set({ revoked_at: time.now })
    .where('order_id', '=', orderId)
    .execute()
  expect(await unlocked()).toEqual([])
})

it('a temporary grant is listed from its start to its end', async () => {
  await grant({ videoId: video.id, endsAt: minute(120) }, minute(60))
  await watch(1)
  expect(await unlocked()).toEqual([])
  time.now = minute(60)
  expect(await unlocked()).toEqual([[video.id, 1, 'purchase', 500]])
  time.now = minute(120)
  expect(await unlocked()).toEqual([])
})

it('removed videos are not listed, but their entitlement and history remain', async () => {
  const other = await buildVideo(site.context)
  await grant({ videoId: video.id, episodeId: episodeId(4) }, minute(-2))
  await grant({ endsAt: minute(60) }, minute(-1))
  await watch(4)
  await watch(4, other)
  const removal = { body: { kind: 'unlocked' as const, remove: [video.id, other.id, 'vid_unknown'] } }
  expect(await visitor.callOk(saveHistory, removal)).toEqual({ removed: 2 })
  expect(await visitor.callOk(saveHistory, removal)).toEqual({ removed: 0 })
  expect(await unlocked()).toEqual([])
  expect((await visitor.callOk(listHistory)).list).toHaveLength(2)
  expect(await watch(4)).toMatchObject({ position_ms: 500 })
})
