import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { openAnnouncements, type Announcements } from '#server/platform/database/announcements.ts'
import { createCatalogueChanges } from '#server/platform/database/catalogue-changes.ts'
import { createLog } from '#server/platform/log.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
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
