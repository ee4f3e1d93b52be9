import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createExperiments } from '#server/features/experiments/experiments.ts'
import { openAnnouncements, type Announcements } from '#server/platform/database/announcements.ts'
import { createCatalogueChanges } from '#server/platform/database/catalogue-changes.ts'
import { createLog } from '#server/platform/log.ts'
import { noQuotas } from '#server/platform/network-quotas.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { noAnnouncements } from '#server/testing/no-announcements.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createEpisodeCache } from './episode-cache.ts'
import { selectEpisode, type EpisodeRow } from './queries.ts'

const log = createLog({ json: true, level: 'silent' })

let database: TestDatabase
let announcements: Announcements
let video: BuiltVideo
let announced: string[] = []
let missed = 0
beforeAll(async () => {
  database = await createTestDatabase()
  // Handles errors of connections in use, as the site's own pool does.
  database.pool.on('connect', (client) => client.on('error', () => {}))
  const { pool, sessions } = database
  const listener = {
    channel: 'catalogue',
    onAnnouncement: (payload: string) => void announced.push(payload),
    onMissed: () => void missed++,
  }
  announcements = openAnnouncements({ pool, sessions, log, listeners: [listener] })
  await waitUntil('announcements arrive', announcements.arrive, 60_000)
})
afterAll(async () => {
  await announcements.stop()
  await database.close()
})
beforeEach(async () => {
  video = await buildVideo({ db: database.db, storage: noStorage }, { episodes: 2 })
})

/**
 * Runs a statement, and waits for the announcements that it causes.
 * @returns whether the statement was announced
 */
async function isAnnounced(statement: string): Promise<boolean> {
  const round = async () => {
    const mark = randomUUID()
    await database.pool.query("SELECT pg_notify('catalogue', $1)", [mark])
    await expect.poll(() => announced).toContain(mark)
  }
  await round()
  announced = []
  await database.pool.query(statement.replaceAll('VIDEO', `'${video.id}'`))
  await round()
  return announced.includes('')
}

describe('a change is announced after', () => {
  const episode = '(SELECT min(id) FROM episodes WHERE video_id = VIDEO)'
  const asset = '(SELECT min(asset_id) FROM episodes WHERE video_id = VIDEO)'
  it.each([
    ["UPDATE videos SET state = 'archived' WHERE id = VIDEO"],
    ['UPDATE videos SET free_episodes = free_episodes + 1 WHERE id = VIDEO'],
    ['UPDATE videos SET episode_cents = episode_cents + 1 WHERE id = VIDEO'],
    ["UPDATE videos SET cover_path = 'other.webp' WHERE id = VIDEO"],
    ["INSERT INTO episodes (id, video_id, number) VALUES (VIDEO || 'x', VIDEO, 99)"],
    [`UPDATE episodes SET titles = '{"en": "New"}' WHERE id = ${episode}`],
    [`UPDATE episodes SET asset_id = NULL WHERE id = ${episode}`],
    [`DELETE FROM episodes WHERE id = ${episode}`],
    ['DELETE FROM videos WHERE id = VIDEO'],
    [`UPDATE assets SET captions = '[{"lang": "xx"}]' WHERE id = ${asset}`],
    [`UPDATE assets SET media_key = 'key' WHERE id = ${asset}`],
    [
      `INSERT INTO experiments (id, name, kind, variants, state, created_at, started_at)
       VALUES (VIDEO, 'free', 'free_episodes', '[]', 'running', now(), now())`,
    ],
    ["UPDATE experiments SET state = 'stopped', stopped_at = now() WHERE state = 'running'"],
  ])('%s', async (statement) => {
    await database.pool.query(
      `INSERT INTO experiments (id, name, kind, target, variants, state, created_at, started_at)
       VALUES ($1, 'free', 'free_episodes', $1, '[]', 'running', now(), now())`,
      [`exp ${video.id}`],
    )
    expect(await isAnnounced(statement)).toBe(true)
  })
})

it('changes of play counts and of conversion progress, and updates without a change, are not announced', async () => {
  expect(await isAnnounced('UPDATE videos SET play_count = play_count + 1 WHERE id = VIDEO')).toBe(false)
  expect(await isAnnounced('UPDATE videos SET free_episodes = free_episodes WHERE id = VIDEO')).toBe(false)
  expect(await isAnnounced('UPDATE assets SET progress = 50')).toBe(false)
})

it('a change of any cached column is announced', async () => {
  /** The database column of each field of a row. Null: a row in which the field is set is not cached. */
  const sources: Record<keyof EpisodeRow, string | null> = {
    id: 'episodes.id',
    video_id: 'episodes.video_id',
    number: 'episodes.number',
    titles: 'episodes.titles',
    asset_id: 'episodes.asset_id',
    folder: 'assets.folder',
    free_episodes: 'videos.free_episodes',
    episode_cents: 'videos.episode_cents',
    video_cents: 'videos.video_cents',
    currency: 'videos.currency',
    cover_path: 'videos.cover_path',
    video_state: 'videos.state',
    duration_ms: 'assets.duration_ms',
    width: 'assets.width',
    height: 'assets.height',
    captions: 'assets.captions',
    encrypted: 'assets.media_key',
    coming_progress: null,
  }
  const row = await selectEpisode(database.db, video.episodes[0]?.id ?? '')
  expect(Object.keys(row ?? {}).toSorted()).toEqual(Object.keys(sources).toSorted())
  // If a trigger names no columns (`tgattr = ''`), an update of any column starts it.
  const { rows } = await database.pool.query<{ name: string; announced: boolean }>(
    `SELECT columns.name, bool_or(tgattr = '' OR attnum = ANY(tgattr)) AS announced
     FROM unnest($1::text[]) AS columns (name)
     JOIN pg_attribute ON attrelid = split_part(name, '.', 1)::regclass AND attname = split_part(name, '.', 2)
     JOIN pg_trigger ON tgrelid = attrelid AND tgfoid = 'announce_catalogue_change'::regproc AND tgtype & 16 > 0
     GROUP BY columns.name`,
    [Object.values(sources).filter((name) => name !== null)],
  )
  expect(
    rows
      .filter(({ announced }) => announced)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(
    Object.values(sources)
      .filter((name) => name !== null)
      .toSorted(),
  )
})

it('an update that changes nothing is not announced', async () => {
  expect(await isAnnounced('UPDATE episodes SET titles = titles WHERE video_id = VIDEO')).toBe(false)
  expect(await isAnnounced('UPDATE experiments SET state = state')).toBe(false)
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
  let version: number | undefined = 1
  const changes = { version: () => version }
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
  await database.pool.query('UPDATE videos SET free_episodes = 7')
  await database.pool.query('DELETE FROM experiments')
  now += 60_000
  expect(await read()).toEqual(before)
  version = 2
  expect(await read()).toEqual({ free: 7, listed: [7, 7], running: 0 })
})

it('only lists of one to three episodes are cached', async () => {
  const { db } = database
  const long = await buildVideo({ db, storage: noStorage }, { episodes: 5 })
  let now = Date.now()
  const episodes = createEpisodeCache(db, { now: () => new Date(now) }, { version: () => 1 })
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

it('until the catalogue changes, the cache remembers that the last episode has no next episode', async () => {
  const { db } = database
  let [now, version] = [Date.now(), 1]
  const episodes = createEpisodeCache(db, { now: () => new Date(now) }, { version: () => version })
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
  version++
  expect(await numbersAfterLast()).toEqual([3])
})

it('that an episode does not exist is remembered for at most a second', async () => {
  let now = Date.now()
  const episodes = createEpisodeCache(database.db, { now: () => new Date(now) }, { version: () => 1 })
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
  const episodes = createEpisodeCache(database.db, { now: () => new Date(now) }, { version: () => 1 })
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

it('a lost connection is reported, because announcements may have been missed', async () => {
  const before = missed
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^(LISTEN|NOTIFY).*echo' AND datname = current_database()",
  )
  await expect.poll(() => missed).toBeGreaterThan(before)
  await expect.poll(() => announcements.arrive()).toBe(true)
})

it('caches rely on announcements if the database makes them, they arrive, and nothing has changed for a minute', async () => {
  // A whole number, because the difference of two fractions may be a little less than a minute.
  let now = Math.ceil(performance.now())
  const time = vi.spyOn(performance, 'now').mockImplementation(() => now)
  onTestFinished(() => time.mockRestore())
  let arrive = true
  const open = async () => {
    const changes = createCatalogueChanges(database.pool)
    await changes.rely(() => arrive)
    now += 60_000
    return changes
  }
  const { listener, version } = await open()
  const first = version()
  expect(first).toBeDefined()
  listener.onAnnouncement('')
  now += 59_999
  expect(version()).toBeUndefined()
  now += 1
  expect(version()).toBeDefined()
  expect(version()).not.toBe(first)
  arrive = false
  expect(version()).toBeUndefined()
  arrive = true
  await database.pool.query('ALTER FUNCTION announce_catalogue_change() RENAME TO not_yet')
  onTestFinished(async () => {
    await database.pool.query('ALTER FUNCTION not_yet() RENAME TO announce_catalogue_change')
  })
  expect((await open()).version()).toBeUndefined()
})
