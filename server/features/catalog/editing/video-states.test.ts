import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildVideo, noStorage } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import type { Tx } from '#server/tables.ts'
import { selectAdminVideo, type AdminVideoRecord } from './admin-queries.ts'
import { archive, publishNow, publishScheduledVideos, schedule, unschedule } from './video-states.ts'

type Video = Pick<AdminVideoRecord, 'state' | 'released_at'>

const now = new Date('2026-03-01T12:00:00Z')
const earlier = new Date(now.getTime() - 1)
const later = new Date(now.getTime() + 1)

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

async function makeVideo({ state, released_at }: Video, episodes = 1): Promise<string> {
  const { db } = database
  const { id } = await buildVideo({ db, storage: noStorage }, { episodes })
  await db.updateTable('videos').set({ state, released_at }).where('id', '=', id).execute()
  return id
}

async function read(id: string): Promise<AdminVideoRecord> {
  const video = await selectAdminVideo(database.db, id)
  if (!video) throw new Error('there is no such video')
  return video
}

async function loadState(id: string): Promise<Video> {
  const { state, released_at } = await read(id)
  return { state, released_at }
}

type Transition = (tx: Tx, video: AdminVideoRecord) => Promise<void>

/**
 * Returns the state after a transition, or the name of its refusal. Checks that a refused transition changes nothing.
 */
async function outcomeOf(transition: Transition, from: Video): Promise<Video | string> {
  const id = await makeVideo(from)
  const video = await read(id)
  try {
    await database.db.transaction().execute((tx) => transition(tx, video))
  } catch (error) {
    expect(await loadState(id)).toEqual(from)
    return (error as { reason: string }).reason
  }
  return loadState(id)
}

const draft: Video = { state: 'draft', released_at: null }
const waiting: Video = { state: 'scheduled', released_at: null }
const scheduled: Video = { state: 'scheduled', released_at: later }
const published: Video = { state: 'published', released_at: earlier }
const archived: Video = { state: 'archived', released_at: earlier }

describe('publishing now', () => {
  const withReady: Transition = (tx, video) => publishNow(tx, video, { count: 2, ready: 1 }, now)
  const withNoneReady: Transition = (tx, video) => publishNow(tx, video, { count: 2, ready: 0 }, now)
  const withNone: Transition = (tx, video) => publishNow(tx, video, { count: 0, ready: 0 }, now)

  test.each([draft, waiting, scheduled])('publishes a $state video with a ready episode', async (from) => {
    expect(await outcomeOf(withReady, from)).toEqual({ state: 'published', released_at: now })
  })

  test.each([draft, scheduled])('schedules a $state video until its first episode is ready', async (from) => {
    expect(await outcomeOf(withNoneReady, from)).toEqual(waiting)
  })

  test.each([draft, scheduled])('refuses a $state video without episodes', async (from) => {
    expect(await outcomeOf(withNone, from)).toBe('noEpisodes')
  })

  test.each([withReady, withNoneReady, withNone])(
    'publishes an archived video again with its first release date, even without ready episodes',
    async (publish) => {
      expect(await outcomeOf(publish, archived)).toEqual(published)
      expect(await outcomeOf(publish, { ...archived, released_at: null })).toEqual({
        state: 'published',
        released_at: now,
      })
    },
  )

  test('refuses a published video', async () => {
    expect(await outcomeOf(withReady, published)).toBe('editConflict')
  })
})

describe('scheduling', () => {
  const at = (date: Date): Transition => {
    return (tx, video) => schedule(tx, video, date, now)
  }

  test.each([draft, waiting, scheduled])('sets the release time of a $state video', async (from) => {
    const moment = new Date('2026-04-01T00:00:00Z')
    expect(await outcomeOf(at(moment), from)).toEqual({ state: 'scheduled', released_at: moment })
  })

  test('refuses a time that is not in the future', async () => {
    const video = await read(await makeVideo(draft))
    const refused = database.db.transaction().execute((tx) => schedule(tx, video, now, now))
    await expect(refused).rejects.toMatchObject({ reason: 'timeInPast', info: { field: 'at' } })
    expect(await outcomeOf(at(earlier), scheduled)).toBe('timeInPast')
  })

  test.each([published, archived])('refuses a $state video', async (from) => {
    expect(await outcomeOf(at(later), from)).toBe('editConflict')
  })
})

test('unscheduling turns a scheduled video into a draft, and refuses other states', async () => {
  for (const from of [waiting, scheduled]) expect(await outcomeOf(unschedule, from)).toEqual(draft)
  for (const from of [draft, published, archived])
    expect(await outcomeOf(unschedule, from)).toBe('editConflict')
})

test('archiving keeps the release date of a published video, and refuses other states', async () => {
  expect(await outcomeOf(archive, published)).toEqual(archived)
  for (const from of [draft, scheduled, archived]) expect(await outcomeOf(archive, from)).toBe('editConflict')
})

test('due videos that have an episode are published', async () => {
  const moment = { state: 'scheduled', released_at: now } as const
  const due = await makeVideo(moment)
  const others: Video[] = [scheduled, waiting, draft, archived]
  const ids = await Promise.all(others.map((video) => makeVideo(video)))
  const empty = await makeVideo(moment, 0)
  await publishScheduledVideos(database.db, now)
  expect(await loadState(due)).toEqual({ state: 'published', released_at: now })
  expect(await Promise.all(ids.map(loadState))).toEqual(others)
  expect(await loadState(empty)).toEqual(moment)
})
