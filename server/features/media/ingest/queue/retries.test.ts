import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { workerDb } from '#server/testing/database/worker-db.ts'
import { insertAsset } from '#server/features/media/ingest/asset-queries.ts'
import { mediaJobs, purgeOrphanedOriginals } from '#server/features/media/ingest/storage/purge-storage.ts'
import { createMediaKeys } from '#server/features/media/media-keys.ts'
import { processNextAsset } from './ingest-queue.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/** The site's time. It is in the future, as if the sandbox had moved the site's clock forward. */
const siteTime = new Date('2031-05-06T07:08:09Z')

let root: string
let database: TestDatabase
let context: IngestContext

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-retries-'))
  database = await createTestDatabase()
  context = {
    db: workerDb(database),
    storage: openDisk(join(root, 'data')),
    clock: { now: () => siteTime },
    log: createLog({ json: true, level: 'silent' }),
    programs: { ffmpegPath: 'ffmpeg', ffprobePath: 'ffprobe' },
    mediaKeys: createMediaKeys('a secret of the tests', false),
  }
})
afterAll(async () => {
  await database.close()
  rmSync(root, { recursive: true, force: true })
})

async function waitingAsset(id: string): Promise<void> {
  const original_path = `originals/${id}.mp4`
  const file = { source_name: '01.mp4', source_hash: id, captions: [], priority: 0 }
  await insertAsset(database.db, { id, original_path, ...file })
}

async function work(id: string, onRead: () => void, signal = new AbortController().signal): Promise<void> {
  const getLocalPath = async (key: string, folder: string) => {
    onRead()
    return context.storage.getLocalPath(key, folder)
  }
  const broken = { ...context, storage: { ...context.storage, getLocalPath } }
  await processNextAsset(broken, { signal, niceness: 0, assetIds: [id] }).catch(() => {})
}

const stateOf = (id: string) =>
  database.db
    .selectFrom('assets')
    .select(['state', 'failures', 'reason', 'reason_details'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

test('a file stays in the queue, however often its conversion is interrupted', async () => {
  await waitingAsset('ast_stopped')
  for (let run = 0; run < 6; run++) {
    const stop = new AbortController()
    await work('ast_stopped', () => stop.abort(), stop.signal)
  }
  expect(await stateOf('ast_stopped')).toEqual({
    state: 'uploaded',
    failures: 0,
    reason: null,
    reason_details: null,
  })
})

test('a file is marked as failed, with the reason, after five failed conversions', async () => {
  await waitingAsset('ast_failing')
  const fail = () => {
    throw new Error('the disk is away')
  }
  for (let run = 0; run < 4; run++) await work('ast_failing', fail)
  expect(await stateOf('ast_failing')).toEqual({
    state: 'uploaded',
    failures: 4,
    reason: null,
    reason_details: null,
  })
  await work('ast_failing', fail)
  expect(await stateOf('ast_failing')).toMatchObject({
    state: 'failed',
    reason: 'failed after 5 attempts: the disk is away',
    reason_details: { key: 'gaveUp', attempts: 5, said: 'the disk is away' },
  })
  const { failed_at } = await database.db
    .selectFrom('assets')
    .select('failed_at')
    .where('id', '=', 'ast_failing')
    .executeTakeFirstOrThrow()
  expect(failed_at).toEqual(siteTime)
})

test('an error becomes the file’s reason even if the database would refuse its message', async () => {
  await waitingAsset('ast_odd')
  const fail = () => {
    throw new Error(`a\0b ${'x'.repeat(195)}\u{1F600}`)
  }
  for (let run = 0; run < 5; run++) await work('ast_odd', fail)
  const { state, reason } = await stateOf('ast_odd')
  expect([state, reason]).toEqual(['failed', expect.stringContaining('after 5 attempts: ab xxx')])
})

test('an original without an asset is deleted after a day, with its captions', async () => {
  await waitingAsset('ast_claimed')
  const dayAgo = new Date(Date.now() - 24 * 3_600_000)
  const write = (name: string, at: Date) => {
    const path = join(root, 'data/storage/originals', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, 'film')
    utimesSync(path, at, at)
  }
  for (const name of ['ast_claimed.mp4', 'ast_lost.mp4', 'ast_lost.en.vtt']) write(name, dayAgo)
  write('ast_coming.mp4', new Date())
  expect(await purgeOrphanedOriginals(context, new Date())).toBe(2)
  const remaining: string[] = []
  for await (const { key } of context.storage.list('originals')) remaining.push(key)
  expect(remaining.toSorted()).toEqual(['originals/ast_claimed.mp4', 'originals/ast_coming.mp4'])
})

test('originals and uploads in progress are not deleted after the site’s clock was moved forward', async () => {
  await context.storage.write('originals/ast_underway.mp4', 'film')
  onTestFinished(() => context.storage.remove('originals/ast_underway.mp4'))
  const limits: number[] = []
  const storage = {
    ...context.storage,
    deleteUnfinishedUploads: async (before: Date) => void limits.push(before.getTime()),
  }
  const started = Date.now()
  for (const { run } of mediaJobs({ ...context, storage })) await run(new AbortController().signal)
  expect(limits.map((limit) => limit < started)).toEqual([true])
  expect(await context.storage.exists('originals/ast_underway.mp4')).toBe(true)
})
