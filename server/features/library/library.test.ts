import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getVideo, type Video } from '#contract/catalog.ts'
import { listHistory, saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import type { Clock } from '#server/platform/clock.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders.ts'
import { testSite, type TestSite } from '#server/testing/test-site.ts'
import type { Visitor } from '#server/testing/visitor.ts'
import { foldPlays } from './library.ts'

const time = { now: new Date('2026-03-01T12:10:00Z') }
const clock: Clock = { now: () => time.now }
let site: TestSite
let video: BuiltVideo
let visitor: Visitor

beforeAll(async () => {
  site = await testSite({ clock })
})
afterAll(() => site.close())
beforeEach(async () => {
  time.now = new Date('2026-03-01T12:10:00Z')
  video = await buildVideo(site.context)
  visitor = site.visitor()
  await visitor.ask(getUser)
})

const at = (seconds: number) => new Date(Date.parse('2026-03-01T12:00:00Z') + seconds * 1000).toISOString()

const save = (position_ms: number, seconds: number, number = 1, as = visitor) =>
  as.ask(saveHistory, {
    body: {
      video_id: video.id,
      episode_id: video.episodes[number - 1]?.id ?? '',
      position_ms,
      at: at(seconds),
    },
  })

const plays = async (): Promise<number> => {
  await foldPlays(site.context.db)
  const row = await site.context.db
    .selectFrom('videos')
    .select('play_count')
    .where('id', '=', video.id)
    .executeTakeFirstOrThrow()
  return row.play_count
}

describe('a saved position', () => {
  it('is where the video goes on, for this viewer alone', async () => {
    await save(5000, 10, 2)
    const mine = (await visitor.ask(getVideo, { query: { id: video.id } })) as Video
    const theirs = (await site.visitor().ask(getVideo, { query: { id: video.id } })) as Video
    expect(mine.resume).toEqual({ episode_id: video.episodes[1]?.id, number: 2, position_ms: 5000 })
    expect(theirs.resume).toBeNull()
  })

  it('is not changed by an older or repeated call, but by a rewind with a newer time', async () => {
    await save(5000, 10)
    expect(await save(9000, 5)).toMatchObject({ position_ms: 5000 })
    expect(await save(7000, 10)).toMatchObject({ position_ms: 5000 })
    expect(await save(1000, 11)).toMatchObject({ position_ms: 1000 })
  })

  it('from a clock that runs ahead is cut to now, so that it blocks nothing later', async () => {
    await save(5000, 999_999)
    time.now = new Date(time.now.getTime() + 1000)
    expect(await save(6000, 999_999)).toMatchObject({ position_ms: 6000 })
  })

  it('is refused for an episode of another video, and where a field is missing', async () => {
    const other = await buildVideo(site.context)
    const foreign = await visitor.call(saveHistory, {
      body: { video_id: other.id, episode_id: video.episodes[0]?.id ?? '', position_ms: 0, at: at(0) },
    })
    const partial = await visitor.call(saveHistory, { body: { video_id: video.id } })
    expect([foreign.answer.code, partial.status]).toEqual([404, 400])
  })

  it('needs a token', async () => {
    const { answer } = await site.visitor().call(saveHistory, { body: { video_id: video.id } })
    expect(answer.code).toBe(401)
  })

  it('loses nothing when ten devices write at once', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => save(i * 100, i)))
    expect(((await visitor.ask(getVideo, { query: { id: video.id } })) as Video).resume?.position_ms).toBe(
      900,
    )
  })
})

describe('a play', () => {
  it('counts once per viewer, episode and half hour', async () => {
    await save(0, 10)
    await save(5000, 20)
    expect(await plays()).toBe(1)
    await save(0, 30, 2)
    time.now = new Date('2026-03-01T12:31:00Z')
    await save(9000, 1860)
    expect(await plays()).toBe(3)
  })

  it('is counted once though two processes fold at once', async () => {
    await Promise.all([1, 2, 3].map((number) => save(0, number, number)))
    await Promise.all([foldPlays(site.context.db), foldPlays(site.context.db)])
    expect(await plays()).toBe(3)
  })
})

describe('the history', () => {
  it('lists what was watched, newest first, a page at a time', async () => {
    const second = await buildVideo(site.context)
    await save(1000, 10)
    await visitor.ask(saveHistory, {
      body: { video_id: second.id, episode_id: second.episodes[0]?.id ?? '', position_ms: 1, at: at(20) },
    })
    const first = await visitor.ask(listHistory, { query: { limit: 1 } })
    expect(first.list.map((entry) => entry.video.id)).toEqual([second.id])
    const rest = await visitor.ask(listHistory, { query: { limit: 1, cursor: first.next_cursor ?? '' } })
    expect(rest).toMatchObject({
      list: [{ video: { id: video.id }, episode: { number: 1 }, position_ms: 1000 }],
      next_cursor: null,
    })
  })

  it('forgets what is removed', async () => {
    await save(1000, 10)
    expect(await visitor.ask(saveHistory, { body: { remove: [video.id, 'vid_unknown'] } })).toEqual({
      removed: 1,
    })
    expect((await visitor.ask(listHistory)).list).toEqual([])
  })

  it('is empty for a guest that kept nothing', async () => {
    const fresh = site.visitor()
    await fresh.ask(getUser)
    expect(await fresh.ask(listHistory)).toEqual({ list: [], next_cursor: null })
  })
})
