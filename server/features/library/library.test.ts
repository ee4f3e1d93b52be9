import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { getVideo, type Video } from '#contract/catalog.ts'
import { listHistory, saveHistory } from '#contract/library.ts'
import { getUser } from '#contract/members.ts'
import type { Clock } from '#server/platform/clock.ts'
import { encodeCursor } from '#server/platform/cursor.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { countsOf } from '#server/testing/builders/video-counts.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import { aggregatePlays, purgePlays, purgeTombstones } from './counts/aggregate-counts.ts'

const time = { now: new Date('2026-03-01T12:10:00Z') }
const clock: Clock = { now: () => time.now }
let site: TestSite
let video: BuiltVideo
let visitor: Visitor

beforeAll(async () => {
  site = await startTestSite({ clock })
})
afterAll(() => site.close())
beforeEach(async () => {
  time.now = new Date('2026-03-01T12:10:00Z')
  video = await buildVideo(site.context)
  visitor = site.visitor()
  await visitor.callOk(getUser)
})

const at = (seconds: number) => new Date(Date.parse('2026-03-01T12:00:00Z') + seconds * 1000).toISOString()

const save = (position_ms: number, seconds: number, number = 1, as = visitor) =>
  as.callOk(saveHistory, {
    body: {
      video_id: video.id,
      episode_id: video.episodes[number - 1]?.id ?? '',
      position_ms,
      at: at(seconds),
    },
  })

/** Waits for the count, because a play may be written up to a second after the response. */
const expectPlays = (count: number) => expect.poll(plays, { timeout: 60_000 }).toBe(count)

const plays = async (): Promise<number> => {
  await aggregatePlays(site.context.db)
  return (await countsOf(site.context.db, video.id)).play_count
}

describe('a saved position', () => {
  it('resumes the video, for this viewer only', async () => {
    await save(5000, 10, 2)
    const mine = (await visitor.callOk(getVideo, { query: { id: video.id } })) as Video
    const theirs = (await site.visitor().callOk(getVideo, { query: { id: video.id } })) as Video
    expect(mine.resume).toEqual({ episode_id: video.episodes[1]?.id, number: 2, position_ms: 5000 })
    expect(theirs.resume).toBeNull()
  })

  it('is changed by a rewind with a newer time, but not by an older or repeated call', async () => {
    await save(5000, 10)
    expect(await save(9000, 5)).toMatchObject({ position_ms: 5000 })
    expect(await save(7000, 10)).toMatchObject({ position_ms: 5000 })
    expect(await save(1000, 11)).toMatchObject({ position_ms: 1000 })
  })

  it('with a time in the future gets the current time, and does not block later positions', async () => {
    await save(5000, 999_999)
    time.now = new Date(time.now.getTime() + 1000)
    expect(await save(6000, 999_999)).toMatchObject({ position_ms: 6000 })
  })

  it('after the end of the episode becomes the end', async () => {
    expect(await save(99_000, 10)).toMatchObject({ position_ms: 18_000 })
  })

  it('with an invalid time is rejected, and a time before 1970 becomes 1970', async () => {
    const saveAt = (time: string) =>
      visitor.call(saveHistory, {
        body: { video_id: video.id, episode_id: video.episodes[0]?.id ?? '', position_ms: 1, at: time },
      })
    for (const damaged of ['yesterday', '', '2026-02-30T00:00:00Z', '2026-01-01T23:59:60Z'])
      expect((await saveAt(damaged)).status, damaged).toBe(400)
    expect((await saveAt('0000-01-01T00:00:00+23:59')).answer.info).toMatchObject({
      at: '1970-01-01T00:00:00.000Z',
    })
    expect((await visitor.callOk(listHistory)).list).toHaveLength(1)
    expect(await save(7000, 0)).toMatchObject({ position_ms: 7000 })
  })

  it('is refused, not stored and not counted for an episode that is locked, not ready or not visible', async () => {
    const unmade = await buildVideo(site.context, { ready: 0 })
    const draft = await buildVideo(site.context, { state: 'draft' })
    const codeOf = async (of: BuiltVideo, index: number) => {
      const { answer } = await visitor.call(saveHistory, {
        body: { video_id: of.id, episode_id: of.episodes[index]?.id ?? '', position_ms: 1, at: at(0) },
      })
      return answer.code
    }
    expect([await codeOf(video, 3), await codeOf(unmade, 0), await codeOf(draft, 0)]).toEqual([403, 404, 404])
    expect((await visitor.callOk(listHistory)).list).toEqual([])
    expect(await plays()).toBe(0)
  })

  it('is refused for an episode of another video, or if a field is missing', async () => {
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

  it('is not lost when ten devices save positions at once', async () => {
    await Promise.all(Array.from({ length: 10 }, (_, i) => save(i * 100, i)))
    expect(((await visitor.callOk(getVideo, { query: { id: video.id } })) as Video).resume?.position_ms).toBe(
      900,
    )
  })
})

describe('a play', () => {
  it('counts once per viewer, episode and half hour', async () => {
    await save(0, 10)
    await save(5000, 20)
    await expectPlays(1)
    await save(0, 30, 2)
    time.now = new Date('2026-03-01T12:31:00Z')
    await save(9000, 1860)
    await expectPlays(3)
  })

  it('is counted once if two processes aggregate concurrently', async () => {
    await Promise.all([1, 2, 3].map((number) => save(0, number, number)))
    await Promise.all([aggregatePlays(site.context.db), aggregatePlays(site.context.db)])
    await expectPlays(3)
  })
})

describe('expired rows', () => {
  const rows = async () => {
    const { pool } = site.context.database
    const { rows } = await pool.query<{ plays: number; marks: number }>(
      `SELECT (SELECT count(*) FROM plays WHERE video_id = $1) AS plays,
         (SELECT count(*) FROM watch_history WHERE video_id = $1) AS marks`,
      [video.id],
    )
    return rows[0]
  }

  it('are deleted: plays after two days, without losing their count, and tombstones after thirty days', async () => {
    const purgeAfterDays = async (days: number) => {
      const later = new Date(time.now.getTime() + days * 86_400_000)
      await purgePlays(site.context.db, later)
      await purgeTombstones(site.context.db, later)
    }
    await save(0, 10)
    await visitor.callOk(saveHistory, { body: { remove: [video.id] } })
    await purgeAfterDays(1)
    expect(await rows()).toEqual({ plays: 1, marks: 1 })
    await purgeAfterDays(3)
    expect(await rows()).toEqual({ plays: 0, marks: 1 })
    await expectPlays(1)
    await purgeAfterDays(40)
    expect(await rows()).toEqual({ plays: 0, marks: 0 })
  })

  it('are tombstones in all batches, but no later ones and no entries that were watched again', async () => {
    const videos = await Promise.all(Array.from({ length: 4 }, () => buildVideo(site.context)))
    const [latest = video, ...others] = videos.map(({ id }) => ({ id }))
    const remove = (...removed: { id: string }[]) =>
      visitor.callOk(saveHistory, { body: { remove: removed.map(({ id }) => id) } })
    // Nothing is stored for a guest who has only removed entries.
    await save(1, 10)
    await remove(video, ...others)
    time.now = new Date('2026-04-20T12:00:00Z')
    await remove(latest)
    await save(1, (time.now.getTime() - Date.parse(at(0))) / 1000)
    expect((await visitor.callOk(listHistory)).list).toHaveLength(1)
    await purgeTombstones(site.context.db, time.now, { limit: 2 })
    const rows = await site.context.db
      .selectFrom('watch_history')
      .select('video_id as id')
      .where('user_id', '=', (await visitor.callOk(getUser)).id)
      .execute()
    expect(rows.map(({ id }) => id).toSorted()).toEqual([video.id, latest.id].toSorted())
  })
})

describe('the history', () => {
  it('lists watched videos, newest first, in pages', async () => {
    const second = await buildVideo(site.context)
    await save(1000, 10)
    await visitor.callOk(saveHistory, {
      body: { video_id: second.id, episode_id: second.episodes[0]?.id ?? '', position_ms: 1, at: at(20) },
    })
    const first = await visitor.callOk(listHistory, { query: { limit: 1 } })
    expect(first.list.map((entry) => entry.video.id)).toEqual([second.id])
    const rest = await visitor.callOk(listHistory, { query: { limit: 1, cursor: first.next_cursor ?? '' } })
    expect(rest).toMatchObject({
      list: [{ video: { id: video.id }, episode: { number: 1 }, position_ms: 1000 }],
      next_cursor: null,
    })
  })

  it('names the next playable episode of a video', async () => {
    const nextNumber = async () => (await visitor.callOk(listHistory)).list[0]?.next_number
    const remove = (index: number) =>
      site.context.db
        .updateTable('episodes')
        .set({ asset_id: null })
        .where('id', '=', video.episodes[index]?.id ?? '')
        .execute()
    await save(1000, 10)
    expect(await nextNumber()).toBe(2)
    await remove(1)
    expect(await nextNumber()).toBe(3)
    for (const index of [2, 3, 4, 5]) await remove(index)
    expect(await nextNumber()).toBeNull()
  })

  it('omits removed entries', async () => {
    await save(1000, 10)
    expect(await visitor.callOk(saveHistory, { body: { remove: [video.id, 'vid_unknown'] } })).toEqual({
      removed: 1,
    })
    expect((await visitor.callOk(listHistory)).list).toEqual([])
  })

  it('keeps an entry that was watched after a removal, even if the removal arrives later', async () => {
    await save(1000, 30)
    const body = { remove: [video.id], at: at(20) }
    expect(await visitor.callOk(saveHistory, { body })).toEqual({ removed: 0 })
    expect((await visitor.callOk(listHistory)).list).toMatchObject([{ position_ms: 1000 }])
  })

  it('ignores a position from before a removal if it arrives after the removal, but accepts a position from after the removal', async () => {
    await save(1000, 10)
    await visitor.callOk(saveHistory, { body: { remove: [video.id], at: at(20) } })
    expect(await save(1000, 10)).toEqual({ video_id: video.id })
    expect(await save(1500, 15)).toEqual({ video_id: video.id })
    expect((await visitor.callOk(listHistory)).list).toEqual([])
    expect(((await visitor.callOk(getVideo, { query: { id: video.id } })) as Video).resume).toBeNull()
    expect(await save(1600, 16)).toEqual({ video_id: video.id })
    expect(await save(2000, 21)).toMatchObject({ position_ms: 2000 })
    expect((await visitor.callOk(listHistory)).list).toHaveLength(1)
  })

  it('removes many entries in one call, each once', async () => {
    const others = await Promise.all([1, 2].map(() => buildVideo(site.context)))
    for (const { id, episodes } of others)
      await visitor.callOk(saveHistory, {
        body: { video_id: id, episode_id: episodes[0]?.id ?? '', position_ms: 1, at: at(5) },
      })
    await save(1000, 10)
    const remove = [...others.map(({ id }) => id), video.id, video.id]
    expect(await visitor.callOk(saveHistory, { body: { remove } })).toEqual({ removed: 3 })
    expect(await visitor.callOk(saveHistory, { body: { remove } })).toEqual({ removed: 0 })
    expect(await visitor.callOk(saveHistory, { body: { remove: [] } })).toEqual({ removed: 0 })
  })

  it('has a stable order across pages while entries change', async () => {
    const videos = await Promise.all(Array.from({ length: 6 }, () => buildVideo(site.context)))
    const watch = ({ id, episodes }: BuiltVideo, seconds: number) =>
      visitor.callOk(saveHistory, {
        body: { video_id: id, episode_id: episodes[0]?.id ?? '', position_ms: 1, at: at(seconds) },
      })
    for (const built of videos) await watch(built, 5)
    const first = await visitor.callOk(listHistory, { query: { limit: 2 } })
    const [seen = '', alsoSeen = ''] = first.list.map((entry) => entry.video.id)
    await visitor.callOk(saveHistory, { body: { remove: [seen] } })
    await save(1, 50)
    const rest = await visitor.callOk(listHistory, { query: { cursor: first.next_cursor ?? '' } })
    expect(rest.list.map((entry) => entry.video.id)).toEqual(
      videos
        .map(({ id }) => id)
        .filter((id) => id !== seen && id !== alsoSeen)
        .toSorted(),
    )
    expect(rest.next_cursor).toBeNull()
  })

  it('refuses a cursor of another list and a forged cursor', async () => {
    const madeUp = encodeCursor('watched', ['no time', 'vid_1'])
    const foreign = encodeCursor('favorites', [at(0), 'vid_1'])
    for (const cursor of [madeUp, foreign, 'bm90'])
      expect((await visitor.call(listHistory, { query: { cursor } })).status).toBe(400)
  })

  it('is empty for a guest without records', async () => {
    const fresh = site.visitor()
    await fresh.callOk(getUser)
    expect(await fresh.callOk(listHistory)).toEqual({ list: [], next_cursor: null })
  })
})
