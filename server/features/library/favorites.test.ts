import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getVideo, type Video } from '#contract/catalog.ts'
import { addFavorite, listFavorites, removeFavorites } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import type { Clock } from '#server/platform/clock.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { countsOf } from '#server/testing/builders/video-counts.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { aggregateFavorites } from './counts/aggregate-counts.ts'

const time = { now: new Date() }
const clock: Clock = { now: () => time.now }
let site: TestSite
let video: BuiltVideo
let visitor: Visitor

beforeAll(async () => {
  site = await startTestSite({ clock })
})
afterAll(() => site.close())
beforeEach(async () => {
  time.now = new Date('2026-03-01T12:00:00Z')
  video = await buildVideo(site.context)
  visitor = await createVisitor()
})

async function createVisitor(): Promise<Visitor> {
  const visitor = site.visitor()
  await visitor.callOk(getUser)
  return visitor
}

const add = (id = video.id, as = visitor) => as.callOk(addFavorite, { body: { video_id: id } })
const remove = (ids = [video.id], as = visitor) => as.callOk(removeFavorites, { body: { video_ids: ids } })
const idsOf = async (query = {}) =>
  (await visitor.callOk(listFavorites, { query })).list.map((entry) => entry.id)
const archive = (id: string) =>
  site.context.db.updateTable('videos').set({ state: 'archived' }).where('id', '=', id).execute()

const counted = async (): Promise<number> => {
  await aggregateFavorites(site.context.db)
  return (await countsOf(site.context.db, video.id)).favorite_count
}

describe('a favorite', () => {
  it('is stored for a guest, and shown on the video and in the list only to this viewer', async () => {
    expect(await add()).toEqual({ video_id: video.id, favorite: true, favorite_count: 1 })
    const mine = (await visitor.callOk(getVideo, { query: { id: video.id } })) as Video
    const theirs = (await site.visitor().callOk(getVideo, { query: { id: video.id } })) as Video
    expect([mine.favorite, theirs.favorite]).toEqual([true, false])
    expect((await visitor.callOk(listFavorites)).list).toMatchObject([
      { id: video.id, title: expect.any(String), favorited_at: '2026-03-01T12:00:00.000Z' },
    ])
  })

  it('keeps its position in the list when it is added again', async () => {
    const other = await buildVideo(site.context)
    await add()
    time.now = new Date('2026-03-01T12:00:01Z')
    await add(other.id)
    time.now = new Date('2026-03-01T12:00:02Z')
    expect(await add()).toMatchObject({ favorite_count: 1 })
    expect(await idsOf()).toEqual([other.id, video.id])
    expect(await counted()).toBe(1)
  })

  it('is refused for a video that does not exist or is not visible', async () => {
    const draft = await buildVideo(site.context, { state: 'draft' })
    for (const id of ['vid_unknown', draft.id]) {
      const { status, answer } = await visitor.call(addFavorite, { body: { video_id: id } })
      expect([status, answer.code]).toEqual([200, 404])
    }
  })

  it('remains when its video is archived, but others cannot add that video', async () => {
    await add()
    await archive(video.id)
    expect(await idsOf()).toEqual([video.id])
    expect(await add()).toMatchObject({ favorite: true })
    const { answer } = await (await createVisitor()).call(addFavorite, { body: { video_id: video.id } })
    expect(answer.code).toBe(404)
  })

  it('is removed once, alone or together with other favorites', async () => {
    const other = await buildVideo(site.context)
    await add()
    await add(other.id)
    expect(await remove([video.id, other.id, 'vid_unknown', video.id])).toEqual({ removed: 2 })
    expect(await remove()).toEqual({ removed: 0 })
    expect(await remove([])).toEqual({ removed: 0 })
    expect(await idsOf()).toEqual([])
  })

  it('cannot be added without a token, and the list of a guest without records is empty', async () => {
    const stranger = site.visitor()
    const codes = await Promise.all([
      stranger.call(listFavorites),
      stranger.call(addFavorite, { body: { video_id: video.id } }),
      stranger.call(removeFavorites, { body: { video_ids: [video.id] } }),
    ])
    expect(codes.map(({ answer }) => answer.code)).toEqual([401, 401, 401])
    expect(await idsOf()).toEqual([])
    expect(await remove()).toEqual({ removed: 0 })
  })
})

describe('the count of favorites', () => {
  it('includes the viewer’s own change at once, and changes of others after the counts are aggregated', async () => {
    const other = await createVisitor()
    await add()
    expect(await add(video.id, other)).toMatchObject({ favorite_count: 1 })
    expect(await counted()).toBe(2)
    expect(await add(video.id, other)).toMatchObject({ favorite_count: 2 })
    await remove()
    expect(await counted()).toBe(1)
  })

  it('is correct when favorites are added and removed between two runs of the job', async () => {
    await add()
    await remove()
    await add()
    await remove()
    expect(await counted()).toBe(0)
    const remaining = await site.context.db.selectFrom('favorite_changes').selectAll().execute()
    expect(remaining).toEqual([])
  })
})

describe('the list of favorites', () => {
  it('has a stable order across pages while favorites change', async () => {
    const videos = [video, ...(await Promise.all(Array.from({ length: 4 }, () => buildVideo(site.context))))]
    for (const [second, { id }] of videos.entries()) {
      time.now = new Date(Date.parse('2026-03-01T12:00:00Z') + second * 1000)
      await add(id)
    }
    const newestFirst = videos.map(({ id }) => id).toReversed()
    const first = await visitor.callOk(listFavorites, { query: { limit: 2 } })
    expect(first.list.map((entry) => entry.id)).toEqual(newestFirst.slice(0, 2))
    await remove([newestFirst[1] ?? ''])
    time.now = new Date('2026-03-01T13:00:00Z')
    await add((await buildVideo(site.context)).id)
    expect(await idsOf({ cursor: first.next_cursor ?? '', limit: 2 })).toEqual(newestFirst.slice(2, 4))
  })

  it('limits a page to the maximum size', async () => {
    const videos = await Promise.all(
      Array.from({ length: 52 }, () => buildVideo(site.context, { episodes: 0 })),
    )
    for (const { id } of videos) await add(id)
    expect(await idsOf({ limit: 5000 })).toHaveLength(50)
    expect(await idsOf()).toHaveLength(20)
  })
})
