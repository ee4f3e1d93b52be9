import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { getEpisode, type PlayableEpisode } from '#contract/media.ts'
import { getUser } from '#contract/members.ts'
import { getStudioSession } from '#contract/studio/operators.ts'
import { backUp, type BackupSource } from './backup.ts'
import { restore } from './restore.ts'
import { createContext } from '#server/context.ts'
import { enqueueFolder } from '#server/features/media/ingest/import/import-folder.ts'
import { purgeDeletedAssets } from '#server/features/media/ingest/storage/purge-storage.ts'
import { processNextAsset } from '#server/features/media/ingest/queue/ingest-queue.ts'
import { loadConfig, type Config } from '#server/platform/config/config.ts'
import { withBackupLock } from '#server/platform/database/dump-tables.ts'
import { createLog } from '#server/platform/log.ts'
import type { Env } from '#server/platform/config/read-env.ts'
import { createSite } from '#server/site.ts'
import { signInOperator, type TestOperator } from '#server/testing/builders/operator.ts'
import { createMember } from '#server/testing/builders/member.ts'
import { makeTestVideo } from '#server/testing/media/test-media.ts'
import { startFakeS3, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { createEmptyDatabase } from '#server/testing/database/test-database.ts'
import { ingestContextOf } from '#server/testing/media/ingest-context.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'

const description = `title: { en: Salt, dy: Salz }
synopsis: { en: Two sisters. }
category: family-drama
tags: [salt]
free_episodes: 1
price: { currency: USD, episode_cents: 99, video_cents: 999 }
`
const log = createLog({ json: true, level: 'silent' })
const neverAborted = new AbortController().signal
const ignoreProgress = () => {}

let root: string
let site: TestSite
let owner: TestOperator
let episodeId: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-backup-'))
  site = await startTestSite({}, { MEDIA_ENCRYPTION: 'aes-128' })
  owner = await signInOperator(site, 'owner')
  await createMember(site)
  episodeId = await importVideo(site)
  // Creates the partition of a past month, which a new database does not have.
  await site.context.database.pool.query(`SELECT create_events_partition('2020-02-29');
    INSERT INTO events (at, id, name) VALUES ('2020-02-29', gen_random_uuid(), 'long ago')`)
})
afterAll(async () => {
  await site.close()
  rmSync(root, { recursive: true, force: true })
})

/** Imports a video with one episode through the ordinary ingest. @returns the episode's id */
async function importVideo({ context }: TestSite): Promise<string> {
  const folder = join(root, 'salt')
  mkdirSync(folder)
  writeFileSync(join(folder, 'video.yaml'), description)
  writeFileSync(join(folder, '01.en.vtt'), 'WEBVTT\n\n00:00:00.100 --> 00:00:00.900\nHello\n')
  makeTestVideo(join(folder, '01.mp4'), { seconds: 1 })
  const ingest = ingestContextOf(context)
  const importOptions = { signal: neverAborted, release: 'whenReady', priority: () => 10 } as const
  expect((await enqueueFolder(ingest, folder, importOptions)).refused).toEqual([])
  await processNextAsset(ingest, { signal: neverAborted, niceness: 0 })
  const { id } = await context.db.selectFrom('episodes').select('id').executeTakeFirstOrThrow()
  return id
}

const backed = ({ context: { database, storage, config } }: TestSite): BackupSource => ({
  pool: database.sessions,
  storage,
  config,
})

let counted = 0
const place = () => join(root, `place-${++counted}`)

async function madeBackup(): Promise<string> {
  const folder = place()
  await backUp(backed(site), folder, ignoreProgress, neverAborted)
  return folder
}

/** Configures a site in a folder with an embedded database, like `npm start`. Creating the database takes seconds. */
const ownServer = (dataDir: string) => loadConfig({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' })

/** Configures a site in an empty folder, with an empty database on the tests' PostgreSQL server. */
async function emptyPlace(settings: Env = {}): Promise<Config> {
  const { url, drop } = await createEmptyDatabase()
  onTestFinished(drop)
  const APP_SECRET = site.context.config.secrets.appSecret
  return loadConfig({ DATA_DIR: place(), DATABASE_URL: url, APP_SECRET, LOG_LEVEL: 'silent', ...settings })
}

const restoreInto = (config: Config, folder: string): Promise<void> =>
  restore({ config, log }, folder, ignoreProgress, neverAborted)

/** Opens the site of a data folder, as `npm start` does, and checks it as a visitor. */
async function visit(
  dataDir: string,
  check: (visitor: Visitor, url: string) => Promise<void>,
): Promise<void> {
  const webRoot = site.context.webRoot
  const context = await createContext(ownServer(dataDir), log, { webRoot })
  const restored = await createSite(context)
  await restored.listen({ port: 0, host: '127.0.0.1' })
  try {
    // The cast is safe: a server that listens on a port has an AddressInfo.
    const url = `http://127.0.0.1:${(restored.server.address() as AddressInfo).port}`
    await check(new Visitor(url), url)
  } finally {
    const closed = restored.close()
    restored.server.closeAllConnections()
    await closed
    await context.close()
  }
}

describe('a site that was backed up while running', () => {
  test('is restored completely in an empty place, and its videos play', { timeout: 600_000 }, async () => {
    const lines: string[] = []
    const folder = place()
    await backUp(backed(site), folder, (line) => lines.push(line), neverAborted)
    expect(lines.join('\n')).toMatch(/Files: 100 % · (\d+) of \1 files[^]*already there/)
    const dataDir = place()
    await restoreInto(ownServer(dataDir), folder)
    await visit(dataDir, async (visitor, url) => {
      await visitor.callOk(getUser)
      const { playback, episode } = (await visitor.callOk(getEpisode, {
        query: { episode_id: episodeId },
      })) as PlayableEpisode
      expect(episode.state).toBe('free')
      const playlist = await bodyOf(url + playback.hls_url)
      const rendition = playlist.toString().match(/^\S+\.m3u8$/m)?.[0] ?? ''
      const rungUrl = url + playback.hls_url.replace('master.m3u8', rendition)
      const segments = (await bodyOf(rungUrl)).toString()
      const segment = segments.match(/^\S+\.m4s$/m)?.[0] ?? ''
      expect((await bodyOf(new URL(segment, rungUrl).href)).length).toBeGreaterThan(1000)
      // The key is encrypted with the secret that is part of the backup.
      expect(await bodyOf(url + playback.hls_url.replace('master.m3u8', 'key'))).toHaveLength(16)
      expect(playback.captions).toHaveLength(1)
    })
    await expect(restoreInto(ownServer(dataDir), folder)).rejects.toThrow('This database already has a site')
  })

  test('has every row after the restore, and continues its sequences', { timeout: 600_000 }, async () => {
    const config = await emptyPlace()
    await restoreInto(config, await madeBackup())
    const context = await createContext(config, log)
    onTestFinished(() => context.close())
    const tables = await context.database.pool.query<{ name: string }>(
      "SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')",
    )
    expect(tables.rows.length).toBeGreaterThan(40)
    expect(tables.rows.map(({ name }) => name)).toContain('events_2020_02')
    for (const { name } of tables.rows)
      expect(await rowsOf(context.database.pool, name), name).toEqual(
        await rowsOf(site.context.database.pool, name),
      )
    await owner.studio.callOk(getStudioSession)
    const last = 'SELECT max(id) AS last FROM audit_events'
    const { rows } = await context.database.pool.query<{ last: number }>(last)
    await context.database.pool.query("INSERT INTO audit_events (event, at) VALUES ('tried', now())")
    expect((await context.database.pool.query<{ last: number }>(last)).rows[0]?.last).toBe(
      (rows[0]?.last ?? 0) + 1,
    )
    await expect(context.database.pool.query('DELETE FROM audit_events')).rejects.toThrow()
    await expect(context.database.pool.query("UPDATE episodes SET video_id = 'nobody’s'")).rejects.toThrow(
      'foreign key',
    )
  })

  async function rowsOf(pool: BackupSource['pool'], table: string): Promise<string[]> {
    const { rows } = await pool.query<{ row: string }>(`SELECT t::text AS row FROM ${table} t ORDER BY 1`)
    // In these tables only the first column is compared. The times of migrations differ. The array
    // `search_words.deletions` is recomputed, and its elements can be in any order.
    const first = table === 'migrations' || table === 'search_words'
    return rows.map(({ row }) => (first ? (row.split(',')[0] ?? '') : row))
  }
})

async function bodyOf(url: string): Promise<Buffer> {
  const answer = await fetch(url)
  expect(answer.status, url).toBe(200)
  return Buffer.from(await answer.arrayBuffer())
}

describe('a backup', () => {
  let folder: string
  beforeEach(async () => {
    folder = await madeBackup()
  })

  test('refuses a folder with other contents, and leaves them unchanged', async () => {
    const strangers = place()
    mkdirSync(join(strangers, 'database-dumps'), { recursive: true })
    mkdirSync(join(strangers, 'storage/originals'), { recursive: true })
    writeFileSync(join(strangers, 'storage/originals/film.mp4'), 'a film of somebody')
    await expect(backUp(backed(site), strangers, ignoreProgress, neverAborted)).rejects.toThrow(
      'choose an empty folder',
    )
    expect(readFileSync(join(strangers, 'storage/originals/film.mp4'), 'utf8')).toBe('a film of somebody')
    expect(existsSync(join(strangers, 'database-dumps'))).toBe(true)
  })

  test(
    'is not restored into the data folder of another site, and leaves that site’s secret unchanged',
    { timeout: 600_000 },
    async () => {
      const dataDir = place()
      await visit(dataDir, async () => {})
      const secret = readFileSync(join(dataDir, 'app-secret'), 'utf8')
      await expect(restoreInto(ownServer(dataDir), folder)).rejects.toThrow(
        'This database already has a site',
      )
      expect(readFileSync(join(dataDir, 'app-secret'), 'utf8')).toBe(secret)
    },
  )

  test('is readable by its owner only, and contains copies, not links', () => {
    expect(statSync(folder).mode & 0o077).toBe(0)
    expect(statSync(join(folder, 'app-secret')).mode & 0o077).toBe(0)
    const [original = ''] = readdirSync(join(folder, 'storage/originals'))
    expect(statSync(join(folder, 'storage/originals', original)).nlink).toBe(1)
  })

  test('is updated by a second run, which also removes files that the site has deleted', async () => {
    await site.context.storage.write('public/covers/new.webp', 'new')
    await site.context.storage.write('public/covers/old.webp', 'old')
    await backUp(backed(site), folder, ignoreProgress, neverAborted)
    await site.context.storage.remove('public/covers/old.webp')
    const lines: string[] = []
    await backUp(backed(site), folder, (line) => lines.push(line), neverAborted)
    expect(lines.at(-1)).toMatch(/^Files: 0 copied/)
    expect(readFileSync(join(folder, 'storage/public/covers/new.webp'), 'utf8')).toBe('new')
    expect(existsSync(join(folder, 'storage/public/covers/old.webp'))).toBe(false)
    expect(readdirSync(folder).filter((name) => name.startsWith('database-'))).toHaveLength(1)
  })

  test('stays complete if a later backup into the same folder is aborted', async () => {
    const before = readFileSync(join(folder, 'backup.json'), 'utf8')
    const stop = new AbortController()
    await site.context.storage.write('public/covers/late.webp', 'late')
    const report = (line: string) => (line.startsWith('Files') ? stop.abort() : undefined)
    await expect(
      backUp({ ...backed(site), storage: stoppedAt(stop) }, folder, report, stop.signal),
    ).rejects.toThrow('abort')
    expect(readFileSync(join(folder, 'backup.json'), 'utf8')).toBe(before)
    await restoreInto(await emptyPlace(), folder)
  })

  /** Returns the site's storage with one change: the first read aborts the backup. */
  const stoppedAt = (stop: AbortController) => ({
    ...site.context.storage,
    getLocalPath: async () => {
      stop.abort()
      throw stop.signal.reason
    },
  })

  test('keeps the site from deleting files until the backup has ended', async () => {
    const { db } = site.context
    const old = new Date(Date.now() - 24 * 3_600_000)
    const asset = { id: 'ast_deleted', source_name: 'x', source_hash: 'x', deleted_at: old, ready_at: old }
    await db
      .insertInto('assets')
      .values({ ...asset, state: 'ready', folder: 'ast_deleted', original_path: null, reason: null })
      .execute()
    const { sessions } = site.context.database
    expect(await withBackupLock(sessions, () => purgeDeletedAssets(site.context, new Date()))).toBe(0)
    expect(await purgeDeletedAssets(site.context, new Date())).toBe(1)
  })

  test('can be restored again after an aborted restore', async () => {
    const config = await emptyPlace()
    const halfway = join(folder, JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')).database)
    const table = join(halfway, 'videos.copy.gz')
    const rows = readFileSync(table)
    writeFileSync(table, rows.subarray(0, rows.length - 9))
    await expect(restoreInto(config, folder)).rejects.toThrow('unexpected end of file')
    writeFileSync(table, rows)
    await restoreInto(config, folder)
  })

  test('is not restored without its secret; a folder without a backup is refused', async () => {
    rmSync(join(folder, 'app-secret'))
    await expect(restoreInto(ownServer(place()), folder)).rejects.toThrow('APP_SECRET')
    await expect(restoreInto(ownServer(place()), root)).rejects.toThrow('There is no backup')
  })

  test('is not restored if it was made by a version with other tables', async () => {
    const path = join(folder, 'backup.json')
    const manifest = JSON.parse(readFileSync(path, 'utf8'))
    manifest.migrations.push({ name: '9999_future.sql', checksum: 'x' })
    writeFileSync(path, JSON.stringify(manifest))
    await expect(restoreInto(await emptyPlace(), folder)).rejects.toThrow('another version')
  })

  test('is refused inside DATA_DIR', async () => {
    const inside = join(site.context.config.dataDir, 'backup')
    await expect(backUp(backed(site), inside, ignoreProgress, neverAborted)).rejects.toThrow(
      'inside DATA_DIR',
    )
  })
})

describe('with a bucket', () => {
  let store: FakeS3
  beforeAll(async () => {
    store = await startFakeS3()
  })
  afterAll(() => store.close())

  test(
    "a backup lists the bucket's files, and a restore reports missing ones",
    { timeout: 600_000 },
    async () => {
      const second = await startTestSite({}, { ...store.settings, APP_SECRET: 'x'.repeat(40) })
      onTestFinished(() => second.close())
      await second.context.storage.write('media/ast_1/master.m3u8', 'playlist')
      const folder = place()
      await backUp(backed(second), folder, ignoreProgress, neverAborted)
      expect(existsSync(join(folder, 'storage'))).toBe(false)
      expect(existsSync(join(folder, 'app-secret'))).toBe(false)
      const config = await emptyPlace({ ...store.settings, APP_SECRET: 'x'.repeat(40) })
      await second.context.storage.remove('media/ast_1/master.m3u8')
      await expect(restoreInto(config, folder)).rejects.toThrow(
        'lacks files of the backup (1), such as media/ast_1/master.m3u8',
      )
      await second.context.storage.write('media/ast_1/master.m3u8', 'playlist')
      await restoreInto(config, folder)
    },
  )

  test(
    'a restore accepts files that the site has replaced since the backup',
    { timeout: 600_000 },
    async () => {
      const { settings, close } = await startFakeS3()
      onTestFinished(close)
      const env = { ...settings, APP_SECRET: 'x'.repeat(40) }
      const second = await startTestSite({}, env)
      onTestFinished(() => second.close())
      const { storage } = second.context
      const replaced = ['archive/events/day=2026-01-31/events.parquet', 'media/ast_2/captions/en.vtt']
      for (const key of [...replaced, 'media/ast_2/init.mp4']) await storage.write(key, 'first')
      const folder = place()
      await backUp(backed(second), folder, ignoreProgress, neverAborted)
      const config = await emptyPlace(env)
      for (const key of [...replaced, 'media/ast_2/init.mp4']) await storage.write(key, 'second')
      await expect(restoreInto(config, folder)).rejects.toThrow(
        'lacks files of the backup (1), such as media/ast_2/init.mp4',
      )
      await storage.write('media/ast_2/init.mp4', 'first')
      await restoreInto(config, folder)
    },
  )
})
