import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createExperiments } from '#server/features/experiments/experiments.ts'
import { createCatalogueChanges } from '#server/platform/database/catalogue-changes.ts'
import { noQuotas } from '#server/platform/network-quotas.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { noAnnouncements } from '#server/testing/no-announcements.ts'
import { createEpisodeCache } from './episode-cache.ts'

/** A change feed without changes, so that caches keep what they may. */
const unchanged = { lastChange: () => ({ number: 1, isSettled: true }) }

let database: TestDatabase
let video: BuiltVideo
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
beforeEach(async () => {
  video = await buildVideo({ db: database.db, storage: noStorage }, { episodes: 2 })
})

it('each episode, and each list of episodes with the same video, start and length, is read at most once a second', async () => {
  const { db } = database
  let now = Date.UTC(2026, 2, 1, 12)
  const episodes = createEpisodeCache(db, { now: () => new Date(now) }, noAnnouncements)
  const long = await buildVideo({ db, storage: noStorage })
  const [first = '', second = ''] = long.episodes.map(({ id }) => id)
  const numbers = async (...args: Parameters<typeof episodes.after>) =>
    (await episodes.after(...args)).map(({ number }) => number)
  expect(await numbers(long.id, 0, 2)).toEqual([1, 2])
  expect(await numbers(long.id, 1, 2)).toEqual([2, 3])
  expect(await numbers(long.id, 0, 3)).toEqual([1, 2, 3])
  expect((await episodes.after(video.id, 0, 1))[0]?.id).toBe(video.episodes[0]?.id)
  expect((await episodes.find(first))?.number).toBe(1)
  expect((await episodes.find(second))?.number).toBe(2)
  expect(await episodes.find('ep_none')).toBeUndefined()
  await db.updateTable('videos').set({ state: 'draft' }).where('id', '=', long.id).execute()
  expect((await episodes.find(first))?.id).toBe(first)
  expect(await numbers(long.id, 0, 2)).toEqual([1, 2])
  now += 1000
  expect(await episodes.find(first)).toBeUndefined()
  expect(await numbers(long.id, 0, 2)).toEqual([])
})

it('while the database is unavailable, the episodes that were read before are returned', async () => {
  const { db } = database
  let now = Date.now()
  const episodes = createEpisodeCache(db, { now: () => new Date(now) }, noAnnouncements)
  const read = async () => {
    const episode = await episodes.find(video.episodes[0]?.id ?? '')
    if (!episode) throw new Error('the episode is missing')
    return { episode, listed: await episodes.after(video.id, 0, 2), next: await episodes.next(episode, 1) }
  }
  const before = await read()
  now += 1000
  const unavailable = Object.assign(new Error('gone'), { code: '57P01' })
  const execute = vi.spyOn(db, 'executeQuery').mockRejectedValue(unavailable)
  onTestFinished(() => execute.mockRestore())
  expect(await read()).toEqual(before)
})

it('episodes and running experiments are read once until the catalogue changes', async () => {
  await database.pool.query(
    `INSERT INTO experiments (id, name, kind, target, variants, state, created_at, started_at)
     VALUES ('exp_1', 'free', 'free_episodes', $1, '[]', 'running', now(), now())`,
    [video.id],
  )
  let number = 1
  const changes = { lastChange: () => ({ number, isSettled: true }) }
  const clock = { now: () => new Date(now) }
  let now = Date.now()
  const { db } = database
  const episodes = createEpisodeCache(db, clock, changes)
  const experiments = createExperiments({ db, clock, catalogueChanges: changes, quotas: noQuotas })
  const [first] = video.episodes
  const read = async () => ({
    free: (await episodes.find(first?.id ?? ''))?.free_episodes,
    listed: (await episodes.after(video.id, 0, 9)).map(({ free_episodes }) => free_episodes),
    running: (await experiments.running()).length,
  })
  const before = await read()
  expect(before.running).toBe(1)
  await database.pool.query('UPDATE videos SET free_episodes = 7')
  await database.pool.query('DELETE FROM experiments')
  now += 60_000
  expect(await read()).toEqual(before)
  number = 2
  expect(await read()).toEqual({ free: 7, listed: [7, 7], running: 0 })
})

it('only lists of one to three episodes are cached', async () => {
  const { db } = database
  const long = await buildVideo({ db, storage: noStorage }, { episodes: 5 })
  let now = Date.now()
  const episodes = createEpisodeCache(db, { now: () => new Date(now) }, unchanged)
  const read = async () => {
    const lists = [3, 4, 9].map((limit) => episodes.after(long.id, 0, limit))
    const last = await episodes.after(long.id, 5, 1)
    return [...(await Promise.all(lists)).map(([first]) => first?.free_episodes), last.length]
  }
  await db.updateTable('videos').set({ free_episodes: 1 }).where('id', '=', long.id).execute()
  expect(await read()).toEqual([1, 1, 1, 0])
  await db.updateTable('videos').set({ free_episodes: 2 }).where('id', '=', long.id).execute()
  await database.pool.query(
    `INSERT INTO episodes (id, video_id, number, asset_id)
     SELECT id || 'x', video_id, 6, asset_id FROM episodes WHERE video_id = $1 AND number = 5`,
    [long.id],
  )
  now += 1000
  expect(await read()).toEqual([1, 2, 2, 1])
})

it('episodes are read again after a change of their video, but not after one of another video', async () => {
  const { db, pool } = database
  const other = await buildVideo({ db, storage: noStorage }, { episodes: 2 })
  const clock = { now: () => new Date(now) }
  let now = Date.now()
  const changes = createCatalogueChanges(pool, 0)
  await changes.rely(() => true)
  const episodes = createEpisodeCache(db, clock, changes)
  const read = async ({ id, episodes: [first] }: BuiltVideo) => {
    const row = await episodes.find(first?.id ?? '')
    const lists = [await episodes.after(id, 0, 1), row ? await episodes.next(row, 1) : []]
    return [row, ...lists.map(([each]) => each)].map((each) => each?.free_episodes)
  }
  const before = await read(video)
  await read(other)
  await pool.query('UPDATE videos SET free_episodes = 9')
  now += 60_000
  changes.listener.onAnnouncement(other.id)
  expect(await read(video)).toEqual(before)
  expect(await read(other)).toEqual([9, 9, 9])
  changes.listener.onAnnouncement('')
  expect(await read(video)).toEqual([9, 9, 9])
})

it('until the catalogue changes, the cache remembers that the last episode has no next episode', async () => {
  const { db } = database
  let [now, number] = [Date.now(), 1]
  const changes = { lastChange: () => ({ number, isSettled: true }) }
  const episodes = createEpisodeCache(db, { now: () => new Date(now) }, changes)
  const last = await episodes.find(video.episodes[1]?.id ?? '')
  if (!last) throw new Error('the episode is missing')
  const numbersAfterLast = async () => (await episodes.next(last, 1)).map(({ number }) => number)
  expect(await numbersAfterLast()).toEqual([])
  await database.pool.query(
    `INSERT INTO episodes (id, video_id, number, asset_id)
     SELECT id || 'x', video_id, 3, asset_id FROM episodes WHERE id = $1`,
    [last.id],
  )
  now += 60_000
  expect(await numbersAfterLast()).toEqual([])
  number++
  expect(await numbersAfterLast()).toEqual([3])
})

it('that an episode does not exist is remembered for at most a second', async () => {
  let now = Date.now()
  const episodes = createEpisodeCache(database.db, { now: () => new Date(now) }, unchanged)
  const id = `${video.episodes[1]?.id ?? ''}x`
  expect(await episodes.find(id)).toBeUndefined()
  await database.pool.query(
    `INSERT INTO episodes (id, video_id, number, asset_id)
     SELECT $1, video_id, 3, asset_id FROM episodes WHERE video_id = $2 AND number = 2`,
    [id, video.id],
  )
  now += 1000
  expect((await episodes.find(id))?.number).toBe(3)
})

it('an episode that is being converted is read every second, alone and in lists', async () => {
  await database.pool.query(
    'UPDATE episodes SET next_asset_id = asset_id, asset_id = NULL WHERE video_id = $1 AND number = 1',
    [video.id],
  )
  let now = Date.now()
  const episodes = createEpisodeCache(database.db, { now: () => new Date(now) }, unchanged)
  await database.pool.query("UPDATE assets SET state = 'processing', progress = 10")
  const progress = async () => {
    const listed = await episodes.after(video.id, 0, 2)
    const alone = await episodes.find(video.episodes[0]?.id ?? '')
    return [alone, ...listed].map((row) => row?.coming_progress)
  }
  expect(await progress()).toEqual([10, 10, null])
  await database.pool.query('UPDATE assets SET progress = 20')
  now += 1000
  expect(await progress()).toEqual([20, 20, null])
})
