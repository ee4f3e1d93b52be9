import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, utimesSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { moveToBucket } from './move-to-bucket.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { createLog } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import { openStorage } from '#server/platform/storage/open-storage.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { startFakeS3, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'

let root: string
let store: FakeS3
let disk: Storage
let context: Parameters<typeof moveToBucket>[0]
const film = randomBytes(20 * 1024 * 1024)
const neverAborted = new AbortController().signal

beforeAll(async () => {
  store = await startFakeS3()
})
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-move-'))
  disk = openDisk(root)
  for (const key of ['media/ast_1/master.m3u8', 'media/ast_1/v0/1.m4s', 'public/covers/a.webp'])
    await disk.write(key, key)
  await disk.write('originals/ast_1.mp4', film)
  const config = loadConfig({ ...store.settings, DATA_DIR: root })
  context = {
    config,
    storage: await openStorage(config, createLog({ json: true, level: 'silent' }), 'site_1'),
  }
  for (const folder of ['originals', 'media', 'public']) await context.storage.remove(folder)
})
afterEach(() => {
  store.setFault(() => undefined)
  rmSync(root, { recursive: true, force: true })
})
afterAll(() => store.close())

test('copies a site’s files into the bucket and reports progress; the files stay on the disk', async () => {
  const lines: string[] = []
  expect(await moveToBucket(context, (line) => lines.push(line), neverAborted)).toEqual({
    copied: 4,
    alreadyPresent: 0,
  })
  expect(lines.at(-1)).toBe('100 % · 4 of 4 files')
  expect((await context.storage.read('originals/ast_1.mp4')).equals(film)).toBe(true)
  expect((await context.storage.read('media/ast_1/v0/1.m4s')).toString()).toBe('media/ast_1/v0/1.m4s')
  expect((await disk.read('originals/ast_1.mp4')).equals(film)).toBe(true)
})

test('continues a failed run with the missing files and the missing parts of a file', async () => {
  store.setFault((call) => (call.includes('partNumber=3') ? 'fail' : undefined))
  await expect(moveToBucket(context, () => {}, neverAborted)).rejects.toThrow('UploadPart 3')
  store.setFault(() => undefined)
  store.requests.length = 0
  expect(await moveToBucket(context, () => {}, neverAborted)).toEqual({ copied: 1, alreadyPresent: 3 })
  expect(store.requests.filter((call) => call.startsWith('PUT'))).toEqual([
    expect.stringContaining('partNumber=3'),
  ])
  expect(await moveToBucket(context, () => {}, neverAborted)).toEqual({ copied: 0, alreadyPresent: 4 })
})

test('copies a changed file again', async () => {
  await moveToBucket(context, () => {}, neverAborted)
  await disk.write('media/ast_1/v0/1.m4s', 'MEDIA/ast_1/v0/1.m4s')
  const later = new Date(Date.now() + 5000)
  utimesSync(join(root, 'storage/media/ast_1/v0/1.m4s'), later, later)
  expect(await moveToBucket(context, () => {}, neverAborted)).toEqual({ copied: 1, alreadyPresent: 3 })
})

test('stops if its signal is aborted', async () => {
  await expect(moveToBucket(context, () => {}, AbortSignal.abort())).rejects.toThrow('abort')
})

test('names the missing setting if no bucket is configured', async () => {
  const config = loadConfig({ DATA_DIR: root })
  await expect(moveToBucket({ ...context, config }, () => {}, neverAborted)).rejects.toThrow('S3_ENDPOINT')
})
