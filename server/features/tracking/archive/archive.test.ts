import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  onTestFinished,
  test,
  vi,
} from 'vitest'
import { createEventPartitions } from '#server/features/tracking/event-partitions.ts'
import { purgeEvents } from '#server/features/tracking/tracking.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startFakeS3, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { startTestSite } from '#server/testing/site/test-site.ts'
import { archiveEvents, type ArchiveContext } from './archive-events.ts'
import { listArchivedDays } from './archive-files.ts'
import { queryArchive } from './query-archive.ts'

const log = createLog({ json: true, level: 'silent' })
const never = new AbortController().signal
const now = new Date('2021-03-05T00:30:00Z')
let own: TestDatabase
let store: FakeS3
let dataDir: string
let storage: Storage
let context: ArchiveContext

beforeAll(async () => {
  own = await createTestDatabase()
  store = await startFakeS3()
})
afterAll(async () => {
  await own.close()
  await store.close()
})
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-archive-'))
  await createEventPartitions(own.db, [now])
  await own.db.deleteFrom('events').execute()
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const open = async (settings: object) => {
  storage = await openStorage(loadConfig({ ...settings, DATA_DIR: dataDir }), log, 'site_1')
  await storage.remove('archive')
  context = { db: own.db, storage, clock: { now: () => now }, log }
}
const fill = (...times: string[]) =>
  own.db
    .insertInto('events')
    .values(
      times.map((time) => ({
        at: new Date(time),
        id: randomUUID(),
        name: `at ${time}`,
        fields: JSON.stringify({ video_id: 'vid_é"1' }),
        user_id: 'usr_secret',
        fbclid: 'fb_secret',
        ttclid: 'tt_secret',
      })),
    )
    .execute()
const query = (text: string) => queryArchive(storage, { sql: text }, never)
const archivedTimes = async () =>
  (await query('SELECT time FROM events ORDER BY time')).map(({ time }) =>
    new Date(String(time)).toISOString(),
  )

describe.each(['a disk', 'a bucket'])('with the archive on %s, events', (kind) => {
  beforeEach(() => open(kind === 'a bucket' ? store.settings : {}))

  test('are archived by day once the following day has ended, without their ids, users and click ids', async () => {
    const past = ['2021-03-01T00:00:00.000Z', '2021-03-01T23:59:59.999Z', '2021-03-03T12:00:00.000Z']
    await fill(...past, '2021-03-04T00:00:00.000Z', '2021-03-05T00:10:00.000Z')
    await archiveEvents(context, never)
    expect(await listArchivedDays(storage)).toEqual(['2021-03-01', '2021-03-03'])
    const rows = await query("SELECT *, fields->>'video_id' AS video FROM events ORDER BY time")
    expect(rows).toEqual(
      past.map((time) => ({
        time: `${time.slice(0, -1).replace('T', ' ').replace('.000', '')}+00`,
        name: `at ${time}`,
        fields: '{"video_id":"vid_é\\"1"}',
        day: time.slice(0, 10),
        video: 'vid_é"1',
      })),
    )
  })

  test('are each archived once, however many have the same time', async () => {
    await sql`
      INSERT INTO events (at, id, name) SELECT '2021-03-01T10:00:00Z', gen_random_uuid(), 'busy ' || number
      FROM generate_series(1, 12000) AS number`.execute(own.db)
    await archiveEvents(context, never)
    expect(await query('SELECT count(*) AS rows, count(DISTINCT name) AS names FROM events')).toEqual([
      { rows: 12_000, names: 12_000 },
    ])
  })

  test('stay in the archived file even if the table has fewer events when their day is archived again', async () => {
    await fill('2021-03-01T12:00:00.000Z', '2021-03-01T13:00:00.000Z')
    await archiveEvents(context, never)
    await own.db.deleteFrom('events').where('at', '=', new Date('2021-03-01T13:00:00.000Z')).execute()
    // This storage lists no files, so the day is archived again. On a site, this happens if another process archives
    // the day after this process has listed the files.
    const unlisted: Storage = { ...storage, async *list() {} }
    await archiveEvents({ ...context, storage: unlisted }, never)
    expect(await archivedTimes()).toEqual(['2021-03-01T12:00:00.000Z', '2021-03-01T13:00:00.000Z'])
  })

  test('are archived by the next run if a run is interrupted, and each day is archived once', async () => {
    await fill('2021-03-01T12:00:00.000Z', '2021-03-02T12:00:00.000Z')
    const moves = vi.spyOn(storage, 'moveFromWorkDir')
    await archiveEvents(context, AbortSignal.abort())
    expect(moves).not.toHaveBeenCalled()
    const { moveFromWorkDir } = storage
    const failing: Storage = {
      ...storage,
      moveFromWorkDir: async (path, key) => {
        if (key.includes('2021-03-02')) throw new Error('the store is away')
        await moveFromWorkDir(path, key)
      },
    }
    await expect(archiveEvents({ ...context, storage: failing }, never)).rejects.toThrow('the store is away')
    expect(await listArchivedDays(storage)).toEqual(['2021-03-01'])
    moves.mockClear()
    await archiveEvents(context, never)
    await archiveEvents(context, never)
    expect(moves).toHaveBeenCalledOnce()
    expect(await archivedTimes()).toEqual(['2021-03-01T12:00:00.000Z', '2021-03-02T12:00:00.000Z'])
  })
})

describe('a month of expired events', () => {
  const startSite = async () => {
    const clock = { now: () => now }
    const database = await createTestDatabase()
    const site = await startTestSite({ database, clock }, { EVENTS_DAYS: '30', EVENTS_ARCHIVE: 'on' })
    onTestFinished(() => site.close())
    ;({ storage } = site.context)
    await createEventPartitions(database.db, [new Date('2021-01-01')])
    const put = (time: string) =>
      database.db
        .insertInto('events')
        .values({ at: new Date(time), id: randomUUID(), name: 'visit', fields: '{}' })
        .execute()
    const stored = async () => (await database.db.selectFrom('events').select('at').execute()).length
    return { context: site.context, db: database.db, put, stored }
  }

  test('is dropped once all its days are archived, and kept while a day cannot be archived', async () => {
    const { context, put, stored } = await startSite()
    await put('2021-01-01T00:00:00.000Z')
    await put('2021-01-31T23:59:59.999Z')
    const away: Storage = {
      ...storage,
      moveFromWorkDir: async () => {
        throw new Error('the store is away')
      },
    }
    await expect(purgeEvents({ ...context, storage: away }, never)).rejects.toThrow('the store is away')
    expect(await stored()).toBe(2)
    // A storage that accepts files but loses them.
    const losing: Storage = { ...storage, moveFromWorkDir: async () => {} }
    await expect(purgeEvents({ ...context, storage: losing }, never)).rejects.toThrow('lacks events')
    expect(await stored()).toBe(2)
    await purgeEvents(context, never)
    expect(await stored()).toBe(0)
    expect(await archivedTimes()).toEqual(['2021-01-01T00:00:00.000Z', '2021-01-31T23:59:59.999Z'])
  })

  test('is archived with the events that were added after their day was archived, and events that were deleted from the table remain archived', async () => {
    const { context, db, put, stored } = await startSite()
    await put('2021-01-10T12:00:00.000Z')
    await put('2021-01-20T12:00:00.000Z')
    await archiveEvents(context, never)
    await put('2021-01-10T13:00:00.000Z')
    await db.deleteFrom('events').where('at', '=', new Date('2021-01-20T12:00:00.000Z')).execute()
    await purgeEvents(context, never)
    expect(await stored()).toBe(0)
    expect(await archivedTimes()).toEqual([
      '2021-01-10T12:00:00.000Z',
      '2021-01-10T13:00:00.000Z',
      '2021-01-20T12:00:00.000Z',
    ])
  })
})
