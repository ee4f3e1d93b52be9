import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readS3 } from '#server/platform/config/read-s3.ts'
import { createTestFolder } from '#server/testing/media/storage-contract-tests.ts'
import { startFakeS3, type Fault, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { openS3 } from './s3.ts'
import type { S3Timeouts } from './s3-calls.ts'
import { isStorageUnavailable } from './storage.ts'

const timeouts: S3Timeouts = { attempts: 4, connectMs: 5000, idleMs: 10_000, requestMs: 60_000 }
/** Few attempts and short time-outs, so that a test that uses up all attempts is fast. */
const impatience: S3Timeouts = { attempts: 2, connectMs: 1000, idleMs: 1000, requestMs: 5000 }

let root: string
let store: FakeS3
let storage: ReturnType<typeof openS3>
let impatient: ReturnType<typeof openS3>

const open = (changes = {}, patient = timeouts) => {
  const { s3, s3Secrets } = readS3({ ...store.settings, ...changes })
  if (!s3 || !s3Secrets) throw new Error('the fake S3 has no settings')
  return openS3({ settings: s3, ...s3Secrets, dataDir: root, siteId: 'site_1', timeouts: patient })
}
const calls = (begin: string) => store.requests.filter((call) => call.startsWith(begin))
const sentParts = () => calls('PUT').flatMap((call) => /partNumber=(\d+)/.exec(call)?.[1] ?? [])

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-s3-'))
  store = await startFakeS3()
  storage = open()
  impatient = open({}, impatience)
})
beforeEach(() => void (store.requests.length = 0))
afterEach(() => store.setFault(() => undefined))
afterAll(async () => {
  await store.close()
  rmSync(root, { recursive: true, force: true })
})

/** Injects a fault once, at the first matching request. */
function once(fault: Fault, fits: RegExp): void {
  let done = false
  store.setFault((call) => {
    if (done || !fits.test(call)) return undefined
    done = true
    return fault
  })
}

test.each<Fault>(['fail', 'break', 'stall'])('retries a call that fails once (%s)', async (fault) => {
  once(fault, /^PUT/)
  await impatient.write(`media/${fault}`, 'film')
  once(fault, /^GET/)
  expect((await impatient.read(`media/${fault}`)).toString()).toBe('film')
  expect(calls(`PUT /films/media/${fault}`)).toHaveLength(2)
})

test.each<[Fault, string]>([
  ['fail', 'The S3 store refused'],
  ['break', 'A call to the S3 store failed'],
  ['stall', 'A call to the S3 store failed'],
])('abandons a store that always fails (%s)', async (fault, message) => {
  store.setFault(() => fault)
  await expect(impatient.write('media/never', 'film')).rejects.toThrow(message)
  await expect(impatient.exists('media/never')).rejects.toThrow(message)
  await expect(impatient.read('media/never')).rejects.toThrow(message)
  expect(calls('PUT')).toHaveLength(2)
})

test('abandons an unreachable store, instead of reporting its files as missing', async () => {
  const away = open({ S3_ENDPOINT: 'http://127.0.0.1:9' }, impatience)
  await expect(away.exists('media/x')).rejects.toThrow('A call to the S3 store failed')
  await expect(away.check()).rejects.toThrow('A call to the S3 store failed')
})

test('reports the status or error code of the store if the key, the secret or the bucket is wrong', async () => {
  await expect(open({ S3_SECRET_ACCESS_KEY: 'x' }).check()).rejects.toMatchObject({ status: 403 })
  await expect(open({ S3_SECRET_ACCESS_KEY: 'x' }).read('media/x')).rejects.toThrow('SignatureDoesNotMatch')
  await expect(open({ S3_ACCESS_KEY_ID: 'x' }).read('media/x')).rejects.toThrow('InvalidAccessKeyId')
  await expect(open({ S3_BUCKET: 'nowhere' }).check()).rejects.toMatchObject({ status: 404 })
  await expect(open({ S3_BUCKET: 'nowhere' }).read('media/x')).rejects.toThrow('NoSuchBucket')
})

const megabyte = 1024 * 1024
/** A file that is uploaded in three parts. */
const large = randomBytes(17 * megabyte)
/** Two megabytes are enough for downloads, which have no parts and may break anywhere. */
const film = large.subarray(0, 2 * megabyte)

test('uploads a large file in parts, and resumes an interrupted upload with the missing parts', async () => {
  const folder = createTestFolder(storage, { 'film.mp4': large })
  const path = join(folder, 'film.mp4')
  store.setFault((call) => (/partNumber=3/.test(call) ? 'break' : undefined))
  await expect(storage.moveFromWorkDir(path, 'originals/film.mp4')).rejects.toThrow('UploadPart 3')
  expect(await storage.exists('originals/film.mp4')).toBe(false)
  expect(existsSync(path)).toBe(true)
  store.requests.length = 0
  store.setFault(() => undefined)
  // A new storage has no state in memory, as after a restart.
  await open().moveFromWorkDir(path, 'originals/film.mp4')
  expect(sentParts().toSorted()).not.toContain('1')
  expect(sentParts()).toContain('3')
  expect((await storage.read('originals/film.mp4')).equals(large)).toBe(true)
  expect(existsSync(path)).toBe(false)
})

test('an aborted upload of a large file ends at once, and can be resumed', async () => {
  const path = join(createTestFolder(storage, { 'film.mp4': large }), 'film.mp4')
  const stop = new AbortController()
  store.setFault((call) => {
    if (!/partNumber=3/.test(call)) return undefined
    stop.abort()
    return 'stall'
  })
  await expect(storage.moveFromWorkDir(path, 'originals/stopped.mp4', stop.signal)).rejects.toThrow('abort')
  expect(await storage.exists('originals/stopped.mp4')).toBe(false)
  store.setFault(() => undefined)
  await storage.moveFromWorkDir(path, 'originals/stopped.mp4')
  expect((await storage.read('originals/stopped.mp4')).equals(large)).toBe(true)
})

test('uploads a part again if its bytes have changed', async () => {
  const [one, other] = [large, Buffer.from(large)]
  other[5] = (other[5] ?? 0) ^ 1
  const folder = createTestFolder(storage, { one, other })
  store.setFault((call) => (/partNumber=3/.test(call) ? 'fail' : undefined))
  await expect(storage.moveFromWorkDir(join(folder, 'one'), 'originals/changed.mp4')).rejects.toThrow(
    'UploadPart 3',
  )
  store.requests.length = 0
  store.setFault(() => undefined)
  await storage.moveFromWorkDir(join(folder, 'other'), 'originals/changed.mp4')
  expect(sentParts()).toContain('1')
  expect((await storage.read('originals/changed.mp4')).equals(other)).toBe(true)
})

test('an upload succeeds if the response to its last call is lost', async () => {
  const folder = createTestFolder(storage, { 'film.mp4': large })
  let lost = false
  store.setFault((call) => {
    if (lost || !/^POST .*uploadId=/.test(call)) return undefined
    lost = true
    return 'lose the answer'
  })
  await storage.moveFromWorkDir(join(folder, 'film.mp4'), 'originals/lost.mp4')
  expect((await storage.read('originals/lost.mp4')).equals(large)).toBe(true)
})

test('two concurrent uploads of the same file both succeed, even if one finishes in the middle of the other', async () => {
  const [one, other] = [1, 2].map(() => join(createTestFolder(storage, { 'film.mp4': large }), 'film.mp4'))
  if (!one || !other) throw new Error('no files')
  const finished = Promise.withResolvers<void>()
  let isFirst = true
  // The first upload waits before its second part until the other one has completed the file.
  store.setFault((call) => {
    if (!isFirst || !/partNumber=2/.test(call)) return undefined
    isFirst = false
    void storage.moveFromWorkDir(other, 'originals/both.mp4').then(finished.resolve, finished.reject)
    return finished.promise.then(() => undefined)
  })
  await storage.moveFromWorkDir(one, 'originals/both.mp4')
  expect((await storage.read('originals/both.mp4')).equals(large)).toBe(true)
})

test('an interrupted upload of a folder continues with the missing files', async () => {
  const folder = createTestFolder(storage, { 'v0/1.m4s': 'one', 'v0/2.m4s': 'two', 'v0/3.m4s': 'three' })
  store.setFault((call) => (call.includes('3.m4s') ? 'fail' : undefined))
  await expect(storage.moveFromWorkDir(folder, 'media/ast_folder')).rejects.toThrow('3.m4s')
  store.requests.length = 0
  store.setFault(() => undefined)
  await storage.moveFromWorkDir(folder, 'media/ast_folder')
  expect(calls('PUT')).toEqual([expect.stringContaining('3.m4s')])
})

test('a download resumes after a broken connection, without repeating received bytes', async () => {
  const folder = createTestFolder(storage, { 'film.mp4': film })
  await storage.moveFromWorkDir(join(folder, 'film.mp4'), 'originals/there.mp4')
  let breaks = 3
  store.setFault((call) => (call.startsWith('GET') && breaks-- > 0 ? 'break in the middle' : undefined))
  const path = await storage.getLocalPath('originals/there.mp4', folder)
  expect(readFileSync(path).equals(film)).toBe(true)
})

test('a download may break any number of times as long as each attempt receives data', async () => {
  const folder = createTestFolder(storage, { 'film.mp4': film })
  await storage.moveFromWorkDir(join(folder, 'film.mp4'), 'originals/often.mp4')
  let breaks = 12
  store.setFault((call) => (call.startsWith('GET') && breaks-- > 0 ? 'break in the middle' : undefined))
  // With one attempt only, a single connection without data would fail the download.
  const path = await open({}, { ...timeouts, attempts: 1 }).getLocalPath('originals/often.mp4', folder)
  expect(breaks).toBeLessThan(0)
  expect(readFileSync(path).equals(film)).toBe(true)
})

test.each<Fault>(['forget the range', 'mistake the range'])(
  'rejects a response whose bytes are not the requested range (%s)',
  async (fault) => {
    const folder = createTestFolder(storage, { 'film.mp4': film })
    await storage.moveFromWorkDir(join(folder, 'film.mp4'), 'originals/ranged.mp4')
    let wrong = 3
    store.setFault((call) => (call.startsWith('GET') && wrong-- > 0 ? fault : undefined))
    const path = await storage.getLocalPath('originals/ranged.mp4', folder)
    expect(readFileSync(path).equals(film)).toBe(true)
    store.setFault((call) => (call.startsWith('GET') ? fault : undefined))
    await expect(impatient.getLocalPath('originals/ranged.mp4', folder)).rejects.toThrow('GetObject')
  },
)

test('distinguishes a missing or refused file from an unavailable store', async () => {
  const isUnavailable = async (work: Promise<unknown>) => work.then(() => 'fine', isStorageUnavailable)
  store.setFault(() => 'fail')
  expect(await isUnavailable(impatient.read('media/x'))).toBe(true)
  store.setFault(() => 'break')
  expect(await isUnavailable(impatient.read('media/x'))).toBe(true)
  store.setFault(() => undefined)
  expect(await isUnavailable(open({ S3_SECRET_ACCESS_KEY: 'x' }).write('media/x', 'x'))).toBe(true)
  expect(await isUnavailable(storage.read('media/nowhere'))).toBe(false)
  store.setFault(() => 'refuse')
  expect(await isUnavailable(storage.write('media/x', 'x'))).toBe(false)
})

test('abandons a store that stops in the middle of each response', async () => {
  const folder = createTestFolder(storage, { 'film.mp4': 'film' })
  await storage.moveFromWorkDir(join(folder, 'film.mp4'), 'originals/never.mp4')
  store.setFault((call) => (call.startsWith('GET') ? 'stop in the middle' : undefined))
  await expect(impatient.getLocalPath('originals/never.mp4', folder)).rejects.toThrow('GetObject')
  await expect(impatient.read('originals/never.mp4')).rejects.toThrow('GetObject')
})

test('aborts uploads that were started long ago and never completed, but no recent uploads', async () => {
  const folder = createTestFolder(storage, { 'film.mp4': large })
  store.setFault((call) => (/partNumber=2/.test(call) ? 'fail' : undefined))
  await expect(storage.moveFromWorkDir(join(folder, 'film.mp4'), 'originals/left.mp4')).rejects.toThrow(
    'UploadPart',
  )
  store.setFault(() => undefined)
  await storage.deleteUnfinishedUploads(new Date(Date.now() - 60_000))
  expect(calls('DELETE')).toHaveLength(0)
  await storage.deleteUnfinishedUploads(new Date(Date.now() + 1000))
  expect(calls('DELETE')).toEqual([expect.stringContaining('originals/left.mp4')])
})
