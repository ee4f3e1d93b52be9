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

/** Runs a statement, and returns the announcements that it causes. */
async function announcementsOf(statement: string): Promise<string[]> {
  const round = async () => {
    const mark = randomUUID()
    await database.pool.query("SELECT pg_notify('catalogue', $1)", [mark])
    await expect.poll(() => announced).toContain(mark)
    return mark
  }
  await round()
  announced = []
  await database.pool.query(statement.replaceAll('VIDEO', `'${video.id}'`))
  const mark = await round()
  return announced.filter((payload) => payload !== mark)
}

describe('a change is announced with its video after', () => {
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
  ])('%s', async (statement) => expect(await announcementsOf(statement)).toEqual([video.id]))

  it('a change of the file that an episode waits for', async () => {
    await database.pool.query(
      'UPDATE episodes SET next_asset_id = asset_id, asset_id = NULL WHERE video_id = $1 AND number = 1',
      [video.id],
    )
    const waiting = '(SELECT next_asset_id FROM episodes WHERE video_id = VIDEO AND number = 1)'
    expect(await announcementsOf(`UPDATE assets SET state = 'failed' WHERE id = ${waiting}`)).toEqual([
      video.id,
    ])
  })
})

describe('a change that may concern all videos is announced after', () => {
  it.each([
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
    expect(await announcementsOf(statement)).toEqual([''])
  })
})

it('a transaction announces each of a hundred videos once, and all videos if it changes more', async () => {
  await database.pool.query(
    `INSERT INTO videos (id, slug, titles, synopses, state, free_episodes, currency, episode_cents, video_cents)
     SELECT 'vid_many_' || n, 'many-' || n, '{"en": "A"}', '{"en": "A"}', 'draft', 1, 'USD', 99, 999
     FROM generate_series(1, 101) n`,
  )
  const change = (count: number) =>
    announcementsOf(
      `UPDATE videos SET free_episodes = free_episodes + 1 WHERE id IN (SELECT 'vid_many_' || n FROM generate_series(1, ${count}) n)`,
    )
  const hundred = await change(100)
  expect([hundred.length, new Set(hundred).size, hundred.includes('')]).toEqual([100, 100, false])
  expect(await change(101)).toContain('')
  expect(await announcementsOf('UPDATE episodes SET number = number + 100 WHERE video_id = VIDEO')).toEqual([
    video.id,
  ])
})

it('changes of play counts and of conversion progress, and updates without a change, are not announced', async () => {
  expect(await announcementsOf('UPDATE videos SET play_count = play_count + 1 WHERE id = VIDEO')).toEqual([])
  expect(await announcementsOf('UPDATE videos SET free_episodes = free_episodes WHERE id = VIDEO')).toEqual(
    [],
  )
  expect(await announcementsOf('UPDATE assets SET progress = 50')).toEqual([])
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
  expect(await announcementsOf('UPDATE episodes SET titles = titles WHERE video_id = VIDEO')).toEqual([])
  expect(await announcementsOf('UPDATE experiments SET state = state')).toEqual([])
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
  const { listener, lastChange } = await open()
  const first = lastChange()
  expect(first.isSettled).toBe(true)
  listener.onAnnouncement('')
  now += 59_999
  expect(lastChange().isSettled).toBe(false)
  now += 1
  expect(lastChange().isSettled).toBe(true)
  expect(lastChange().number).toBeGreaterThan(first.number)
  arrive = false
  expect(lastChange().isSettled).toBe(false)
  arrive = true
  await database.pool.query('ALTER FUNCTION announce_catalogue_change() RENAME TO not_yet')
  onTestFinished(async () => {
    await database.pool.query('ALTER FUNCTION not_yet() RENAME TO announce_catalogue_change')
  })
  expect((await open()).lastChange().isSettled).toBe(false)
})

it('a change of a video leaves other videos unchanged, unless too many have changed to tell them apart', async () => {
  const changes = createCatalogueChanges(database.pool, 0, 2)
  const numberOf = (id?: string) => changes.lastChange(id).number
  changes.listener.onAnnouncement('one')
  changes.listener.onAnnouncement('two')
  expect([numberOf('none'), numberOf('one'), numberOf('two'), numberOf()]).toEqual([0, 1, 2, 2])
  changes.listener.onAnnouncement('three')
  expect([numberOf('none'), numberOf('one'), numberOf('three'), numberOf()]).toEqual([3, 3, 3, 3])
  changes.listener.onMissed()
  expect([numberOf('none'), numberOf('three')]).toEqual([4, 4])
})
