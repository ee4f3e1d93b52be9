import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { createExperiments } from '#server/features/experiments/experiments.ts'
import { openAnnouncements, type Announcements } from '#server/platform/database/announcements.ts'
import { createCatalogueChanges } from '#server/platform/database/catalogue-changes.ts'
import { createLog } from '#server/platform/log.ts'
import { noQuotas } from '#server/platform/network-quotas.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { createEpisodeCache } from './episode-cache.ts'

const log = createLog({ json: true, level: 'silent' })

let database: TestDatabase
let announcements: Announcements
let video: BuiltVideo
const payloads: string[] = []
let missed = 0
beforeAll(async () => {
  database = await createTestDatabase()
  // Like the site's own pool, which handles errors of connections in use.
  database.pool.on('connect', (client) => client.on('error', () => {}))
  const { pool } = database
  const listener = {
    channel: 'catalogue',
    onAnnouncement: (payload: string) => void payloads.push(payload),
    onMissed: () => void missed++,
  }
  announcements = openAnnouncements({ pool, sessions: pool, log, listeners: [listener] })
  await waitUntil('announcements arrive', announcements.arrive, 60_000)
})
afterAll(async () => {
  await announcements.stop()
  await database.close()
})
beforeEach(async () => {
  video = await buildVideo({ db: database.db, storage: noStorage }, { episodes: 2 })
})

/** Runs a statement. @returns whether it was announced before what the test announces after it */
async function isAnnounced(statement: string): Promise<boolean> {
  const mark = async (payload: string) => {
    await database.pool.query("SELECT pg_notify('catalogue', $1)", [payload])
    await expect.poll(() => payloads.at(-1)).toBe(payload)
  }
  await mark('before')
  const before = payloads.length
  await database.pool.query(statement.replaceAll('VIDEO', `'${video.id}'`))
  await mark('after')
  return payloads.length > before + 1
}

describe('a change is announced', () => {
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

it('counts, ranks and the progress of a conversion are not announced', async () => {
  expect(await isAnnounced('UPDATE videos SET play_count = play_count + 1 WHERE id = VIDEO')).toBe(false)
  expect(await isAnnounced('UPDATE videos SET free_episodes = free_episodes WHERE id = VIDEO')).toBe(false)
  expect(await isAnnounced('UPDATE assets SET progress = 50')).toBe(false)
})

it('caches rely on announcements a minute after the last change, while they arrive and the database makes them', async () => {
  let now = performance.now()
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

it('episodes and running experiments are read once until a change', async () => {
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

it('an episode that is being converted is read every second', async () => {
  await database.pool.query(
    'UPDATE episodes SET next_asset_id = asset_id, asset_id = NULL WHERE video_id = $1 AND number = 1',
    [video.id],
  )
  let now = Date.now()
  const episodes = createEpisodeCache(database.db, { now: () => new Date(now) }, { version: () => 1 })
  await database.pool.query("UPDATE assets SET state = 'processing', progress = 10")
  const progress = async () => (await episodes.find(video.episodes[0]?.id ?? ''))?.coming_progress
  expect(await progress()).toBe(10)
  await database.pool.query('UPDATE assets SET progress = 20')
  now += 1000
  expect(await progress()).toBe(20)
})

it('announcements that may have been missed are reported', async () => {
  const before = missed
  await database.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'LISTEN%echo%' AND datname = current_database()",
  )
  await expect.poll(() => missed).toBeGreaterThan(before)
  await expect.poll(() => announcements.arrive()).toBe(true)
})
