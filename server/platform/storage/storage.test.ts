import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { readS3 } from '#server/platform/config/read-s3.ts'
import { testStorageContract } from '#server/testing/media/storage-contract-tests.ts'
import { startFakeS3, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { openDisk } from './disk.ts'
import { openS3 } from './s3.ts'
import type { Storage } from './storage.ts'

let root: string
let store: FakeS3
let disk: Storage
let bucket: Storage

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-storage-'))
  store = await startFakeS3()
  disk = openDisk(join(root, 'disk'))
  const { s3, s3Secrets } = readS3(store.settings)
  if (!s3 || !s3Secrets) throw new Error('the fake S3 has no settings')
  bucket = openS3({ settings: s3, ...s3Secrets, dataDir: join(root, 's3'), siteId: 'site_1' })
})
afterAll(async () => {
  await store.close()
  rmSync(root, { recursive: true, force: true })
})

testStorageContract('the disk', () => disk)
testStorageContract('a bucket', () => bucket)
