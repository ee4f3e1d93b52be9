import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { sampleVideoYaml, makeTestVideo, programs } from '#server/testing/media/test-media.ts'
import { startFakeS3, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { workerDb } from '#server/testing/database/worker-db.ts'
import { createMediaKeys } from '#server/features/media/media-keys.ts'
import { enqueueEpisode, type EpisodeFile } from './enqueue-episode.ts'
import { enqueueFolder, importFolder } from '#server/features/media/ingest/import/import-folder.ts'
import { createWakeSignal } from '#server/platform/jobs/wake-signal.ts'
import { runIngestLoop } from './run-ingest-loop.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

const log = createLog({ json: true, level: 'silent' })

let root: string
let store: FakeS3
let database: TestDatabase
let context: IngestContext

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-away-'))
  store = await startFakeS3()
  database = await createTestDatabase()
  const storage = await openStorage(
    loadConfig({ ...store.settings, DATA_DIR: join(root, 'data') }),
    log,
    'site_1',
  )
  const mediaKeys = createMediaKeys('a secret of the tests', false)
  context = { db: workerDb(database), storage, clock: { now: () => new Date() }, log, programs, mediaKeys }
  makeTestVideo(join(root, 'film.mp4'), { seconds: 1 })
})
beforeEach(() => void (store.requests.length = 0))
afterEach(() => store.setFault(() => undefined))
afterAll(async () => {
  await database.close()
  await store.close()
  rmSync(root, { recursive: true, force: true })
})

/** Short delays for tests. */
const backoff = { firstMs: 1, maxMs: 4 }

function makeFolder(slug: string): string {
  const folder = join(root, slug)
  mkdirSync(folder)
  writeFileSync(join(folder, 'video.yaml'), sampleVideoYaml)
  makeTestVideo(join(folder, '01.mp4'), { seconds: 1 })
  return folder
}

const assetOf = (name: string) =>
  database.db
    .selectFrom('assets')
    .select(['id', 'state', 'failures', 'attempt'])
    .where('source_name', '=', name)
    .executeTakeFirstOrThrow()

/**
 * Makes the storage fail for this number of matching calls.
 * @returns a function that returns whether the storage has recovered
 */
function failStorage(calls: number, fits: RegExp): () => boolean {
  let remaining = calls
  store.setFault((call) => (fits.test(call) && remaining-- > 0 ? 'fail' : undefined))
  return () => remaining < 0
}

/** Number of failing calls for six attempts: the S3 client makes four calls in each attempt. */
const sixTries = 24

test('a worker waits for an unreachable storage without counting a failure of the episode', async () => {
  const stop = new AbortController()
  const { signal } = stop
  await enqueueFolder(context, makeFolder('outlasted'), { signal, release: 'whenReady', priority: () => 0 })
  const isBack = failStorage(sixTries, /^(HEAD|GET) .*originals\/ast/)
  const options = { signal, niceness: 0, backoff, wakeSignal: createWakeSignal() }
  const looping = runIngestLoop(context, options)
  await expect.poll(() => assetOf('outlasted/01.mp4'), { timeout: 60_000 }).toMatchObject({ state: 'ready' })
  stop.abort()
  await looping
  expect(isBack()).toBe(true)
  expect(await assetOf('outlasted/01.mp4')).toMatchObject({ state: 'ready', failures: 0, attempt: 7 })
})

test('an import waits for an unreachable storage while it uploads and while it converts', async () => {
  const folder = makeFolder('sent')
  const { signal } = new AbortController()
  const isBack = failStorage(sixTries, /^(HEAD|PUT) .*(originals|media)\//)
  const report = await importFolder(context, folder, {
    signal,
    niceness: 0,
    backoff,
    onProgress: () => {},
  })
  expect([isBack(), report.made, report.refused]).toEqual([true, ['sent/01.mp4'], []])
  expect(await assetOf('sent/01.mp4')).toMatchObject({ state: 'ready', failures: 0 })
})

test('a file fails after the storage has refused it several times', async () => {
  const folder = makeFolder('refused')
  const { signal } = new AbortController()
  const options = { signal, niceness: 0, backoff, onProgress: () => {} }
  store.setFault((call) => (/^PUT .*media\//.test(call) ? 'refuse' : undefined))
  for (let run = 0; run < 5; run++) await importFolder(context, folder, options).catch(() => {})
  expect(await assetOf('refused/01.mp4')).toMatchObject({ state: 'failed', failures: 4 })
})

const film = randomBytes(20 * 1024 * 1024)

async function largeFile(): Promise<EpisodeFile> {
  const { id } = await buildVideo(context, { ready: 0, episodes: 0 })
  const path = join(root, `${id}.mp4`)
  writeFileSync(path, film)
  const none = { captions: new Map(), keptCaptions: new Set<never>() }
  return { videoId: id, number: 1, titles: {}, path, name: `${id}/01.mp4`, priority: 0, ...none }
}
const sent = () => store.requests.flatMap((call) => /^PUT .*partNumber=(\d)/.exec(call)?.[1] ?? []).toSorted()
const neverAborted = new AbortController().signal

test('an import uploads only the missing parts if an earlier import was killed during the upload', async () => {
  const file = await largeFile()
  store.setFault((call) => (/partNumber=3/.test(call) ? 'fail' : undefined))
  await expect(enqueueEpisode(context, file, neverAborted)).rejects.toThrow('UploadPart 3')
  store.setFault(() => undefined)
  store.requests.length = 0
  const { assetId, state } = await enqueueEpisode(context, file, neverAborted)
  expect([state, sent()]).toEqual(['queued', ['3']])
  expect((await context.storage.read(`originals/${assetId}.mp4`)).equals(film)).toBe(true)
})

test('an import does not upload a file again if an earlier import was killed after the upload', async () => {
  const file = await largeFile()
  const exists = () => Promise.resolve(false)
  const write = () => Promise.reject(new Error('killed'))
  const captioned = { ...file, captions: new Map([['en', { text: 'WEBVTT\n' }] as const]) }
  const failingContext = { ...context, storage: { ...context.storage, exists, write } }
  await expect(enqueueEpisode(failingContext, captioned, neverAborted)).rejects.toThrow('killed')
  store.requests.length = 0
  expect((await enqueueEpisode(context, captioned, neverAborted)).state).toBe('queued')
  expect(sent()).toEqual([])
})

test('two concurrent imports of the same file upload it once', async () => {
  const file = await largeFile()
  const both = await Promise.all([
    enqueueEpisode(context, file, neverAborted),
    enqueueEpisode(context, file, neverAborted),
  ])
  expect(both.map(({ state }) => state).toSorted()).toEqual(['queued', 'waiting'])
  expect(new Set(both.map(({ assetId }) => assetId)).size).toBe(1)
  expect((await context.storage.read(`originals/${both[0].assetId}.mp4`)).equals(film)).toBe(true)
})
