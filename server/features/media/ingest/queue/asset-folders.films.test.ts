import { mkdirSync, mkdtempSync, readFileSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createMediaKeys } from '#server/features/media/media-keys.ts'
import { createLog } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { sampleVideoYaml, makeTestVideo, programs } from '#server/testing/media/test-media.ts'
import { recordStorageCalls } from '#server/testing/database/record-storage-calls.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { workerDb } from '#server/testing/database/worker-db.ts'
import { requeueAbandoned } from './asset-states.ts'
import { recordOrphaned } from '#server/features/media/ingest/storage/file-queries.ts'
import { enqueueFolder, importFolder } from '#server/features/media/ingest/import/import-folder.ts'
import { purgeOrphanedFiles } from '#server/features/media/ingest/storage/orphaned-files.ts'
import { purgeStorage } from '#server/features/media/ingest/storage/purge-storage.ts'
import { processNextAsset } from './ingest-queue.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

const hello = 'WEBVTT\n\n00:00:00.100 --> 00:00:00.900\nHello\n'

let root: string
let database: TestDatabase
let context: IngestContext

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-asset-folders-'))
  database = await createTestDatabase()
  context = {
    db: workerDb(database),
    storage: openDisk(join(root, 'data')),
    clock: { now: () => new Date() },
    log: createLog({ json: true, level: 'silent' }),
    programs,
    // Each attempt has a different key, so the files of an attempt are useless with the key of another attempt.
    mediaKeys: createMediaKeys('a secret of the tests', true),
  }
  makeTestVideo(join(root, 'film.mp4'), { seconds: 1 })
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true, force: true })
})

const options = { signal: new AbortController().signal, niceness: 0, onProgress: () => {} }

function makeFolder(slug: string): string {
  const folder = join(root, slug)
  mkdirSync(folder)
  writeFileSync(join(folder, 'video.yaml'), sampleVideoYaml)
  writeFileSync(join(folder, '01.mp4'), readFileSync(join(root, 'film.mp4')))
  return folder
}

const assetOf = (name: string) =>
  database.db
    .selectFrom('assets')
    .select(['id', 'state', 'folder', 'attempt', 'failures', 'captions'])
    .where('source_name', '=', name)
    .executeTakeFirstOrThrow()

async function filesBelow(folder: string): Promise<Map<string, string>> {
  const files = new Map<string, string>()
  for await (const { key } of context.storage.list(folder))
    files.set(key, (await context.storage.read(key)).toString('base64'))
  return files
}
const orphanedKeys = async () =>
  (await database.db.selectFrom('orphaned_files').select('key').execute()).map(({ key }) => key)

/** Interrupts a worker before the first file of an attempt is moved. */
function interruptUpload(storage: Storage, interrupt: () => Promise<void>): Storage {
  let isDone = false
  return {
    ...storage,
    async moveFromWorkDir(path, key, signal) {
      if (!isDone && key.startsWith('media/')) {
        isDone = true
        await interrupt()
      }
      return storage.moveFromWorkDir(path, key, signal)
    },
  }
}

/** Ends the worker's database connection, as if its machine became unreachable. The worker itself continues. */
const cutOff = () =>
  sql`SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`.execute(database.db)

test('a worker does not damage the files of another worker that claimed its asset during the upload', async () => {
  let won = new Map<string, string>()
  const storage = interruptUpload(context.storage, async () => {
    await cutOff()
    expect(await requeueAbandoned(database.db)).toHaveLength(1)
    expect(await processNextAsset(context, options)).toBeDefined()
    won = await filesBelow('media')
  })
  await importFolder({ ...context, storage }, makeFolder('lost'), options).catch(() => {})
  expect(await assetOf('lost/01.mp4')).toMatchObject({ state: 'ready', attempt: 2, failures: 0 })
  expect(won.size).toBeGreaterThan(5)
  // The files of the other worker are unchanged, and no file of the first worker remains.
  expect(await filesBelow('media')).toEqual(won)
  expect([...(await filesBelow('public')).keys()].filter((key) => key.includes('-1/'))).toEqual([])
  expect(await orphanedKeys()).toEqual([])
})

test('files of a worker that died during the upload are deleted after a day, and playable files are never deleted', async () => {
  await importFolder(context, makeFolder('played'), options)
  const { folder } = await assetOf('played/01.mp4')
  const before = await filesBelow('media')
  await context.storage.write('media/ast_died-1/v0/00000.m4s', 'half')
  await context.storage.write('public/ast_died-1/still.webp', 'half')
  // The last folder is in use, but is recorded as orphaned, as after a commit whose response was lost.
  await recordOrphaned(database.db, ['media/ast_died-1', 'public/ast_died-1', `media/${folder}`])
  const hours = (count: number) => new Date(Date.now() + count * 3_600_000)
  expect(await purgeOrphanedFiles(context, hours(23))).toBe(0)
  expect(await purgeOrphanedFiles(context, hours(25))).toBe(2)
  expect(await filesBelow('media')).toEqual(before)
  expect(await filesBelow('public/ast_died-1')).toEqual(new Map())
  expect(await orphanedKeys()).toEqual([])
})

test('files are moved to the storage once, even if the site’s clock is moved forward meanwhile', async () => {
  const clock = { now: () => new Date(Date.now() + 30 * 24 * 3_600_000) }
  const moved: string[] = []
  const storage: Storage = {
    ...context.storage,
    async moveFromWorkDir(path, key, signal) {
      await context.storage.moveFromWorkDir(path, key, signal)
      moved.push(key)
      // If the purge deleted the record of a file, the import would move the file again. The condition ends this loop.
      if (moved.length <= 3) await purgeStorage({ ...context, clock })
    },
  }
  await importFolder({ ...context, storage }, makeFolder('jump'), options)
  const { id, folder, ...state } = await assetOf('jump/01.mp4')
  expect(state).toMatchObject({ state: 'ready', attempt: 1, failures: 0 })
  expect(moved).toEqual([`originals/${id}.mp4`, `media/${folder}`, `public/${folder}`])
  for (const key of moved.slice(1)) expect((await filesBelow(key)).size, key).toBeGreaterThan(0)
})

test('captions are stored before their rows and deleted after them, and no transaction waits for the storage', async () => {
  const folder = makeFolder('spoken')
  const watched = recordStorageCalls(context.storage, database.db)
  const watching = { ...context, storage: watched.storage }
  writeFileSync(join(folder, '01.en.vtt'), hello)
  await importFolder(watching, folder, options)
  const { id, folder: media } = await assetOf('spoken/01.mp4')
  writeFileSync(join(folder, '01.es.vtt'), hello)
  unlinkSync(join(folder, '01.en.vtt'))
  const broken = { ...context.storage, write: () => Promise.reject(new Error('the disk is away')) }
  await expect(importFolder({ ...context, storage: broken }, folder, options)).rejects.toThrow('away')
  expect((await assetOf('spoken/01.mp4')).captions).toMatchObject([{ lang: 'en' }])
  await importFolder(watching, folder, options)
  expect(watched.callsInTransaction).toEqual([])
  expect(watched.calls).toEqual(expect.arrayContaining([`write media/${media}/captions/es.vtt`]))
  expect((await assetOf('spoken/01.mp4')).captions).toMatchObject([{ lang: 'es' }])
  const captions = [
    ...(await filesBelow(`media/${media}/captions`)).keys(),
    ...(await filesBelow('originals')).keys(),
  ]
  expect(captions.filter((key) => key.endsWith('.vtt'))).toEqual([
    `media/${media}/captions/es.vtt`,
    `originals/${id}.es.vtt`,
  ])
  expect(await orphanedKeys()).toEqual([])
})

test('captions without a row are deleted after a day', async () => {
  const folder = makeFolder('unsaid')
  await importFolder(context, folder, options)
  const { id, folder: media } = await assetOf('unsaid/01.mp4')
  writeFileSync(join(folder, '01.pt.vtt'), hello)
  const write = async (key: string, bytes: string | Uint8Array) => {
    await context.storage.write(key, bytes)
    if (key.startsWith('media/')) throw new Error('killed')
  }
  const storage = { ...context.storage, write }
  await expect(importFolder({ ...context, storage }, folder, options)).rejects.toThrow('killed')
  const both = [`media/${media}/captions/pt.vtt`, `originals/${id}.pt.vtt`]
  expect((await orphanedKeys()).toSorted()).toEqual(both)
  expect(await purgeOrphanedFiles(context, new Date(Date.now() + 25 * 3_600_000))).toBe(2)
  expect(await Promise.all(both.map((key) => context.storage.exists(key)))).toEqual([false, false])
})

test('if captions change while their episode is published, the later captions are published', async () => {
  const folder = makeFolder('late')
  writeFileSync(join(folder, '01.en.vtt'), hello)
  let isLate = false
  const copy = async (from: string, to: string) => {
    await context.storage.copy(from, to)
    if (isLate) return
    isLate = true
    writeFileSync(join(folder, '01.en.vtt'), hello.replace('Hello', 'Later'))
    await enqueueFolder(context, folder, { ...options, release: 'whenReady', priority: () => 0 })
  }
  await importFolder({ ...context, storage: { ...context.storage, copy } }, folder, options)
  const { folder: media, state } = await assetOf('late/01.mp4')
  expect([isLate, state]).toEqual([true, 'ready'])
  expect((await context.storage.read(`media/${media}/captions/en.vtt`)).toString()).toContain('Later')
})
