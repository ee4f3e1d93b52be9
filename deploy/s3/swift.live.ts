import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { readS3 } from '#server/platform/config/read-s3.ts'
import { createS3Calls } from '#server/platform/storage/s3-calls.ts'
import { openS3 } from '#server/platform/storage/s3.ts'
import { partBytes } from '#server/platform/storage/upload-in-parts.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { testStorageContract, createTestFolder } from '#server/testing/media/storage-contract-tests.ts'
import { startProxy } from './run-proxy.ts'
import { startSwift, type Swift } from './run-swift.ts'

let root: string
let swift: Swift
let proxy: Awaited<ReturnType<typeof startProxy>>
let storage: ReturnType<typeof openS3>
let storageBehindProxy: ReturnType<typeof openS3>

const read = (changes = {}) => {
  const { s3, s3Secrets } = readS3({ ...swift.settings, S3_BUCKET: 'films', ...changes })
  if (!s3 || !s3Secrets) throw new Error('swift has no settings')
  return { settings: s3, ...s3Secrets }
}
const open = (changes = {}) => openS3({ ...read(changes), dataDir: root, siteId: 'site_1' })
const openCalls = () => createS3Calls(read().settings, read().secretAccessKey)

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'cliffhanger-live-s3-'))
  swift = await startSwift()
  const {
    S3_ENDPOINT: endpoint,
    S3_ACCESS_KEY_ID: accessKeyId,
    S3_SECRET_ACCESS_KEY: secretAccessKey,
  } = swift.settings
  const credentials = { accessKeyId, secretAccessKey }
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials })
  for (const Bucket of ['films', 'store']) await client.send(new CreateBucketCommand({ Bucket }))
  client.destroy()
  storage = open()
  proxy = await startProxy({ store: new URL(endpoint).host })
  storageBehindProxy = open({ S3_ENDPOINT: proxy.url, S3_BUCKET: 'store' })
})
afterAll(async () => {
  await proxy?.close()
  await swift?.close()
  rmSync(root, { recursive: true, force: true })
})

testStorageContract('a bucket of swift', () => storage)
testStorageContract('a bucket behind the proxy of compose.yaml', () => storageBehindProxy)

describe('swift', () => {
  it('refuses a wrong secret, key or bucket', async () => {
    await storage.check()
    await expect(open({ S3_SECRET_ACCESS_KEY: 'x' }).check()).rejects.toMatchObject({ status: 403 })
    await expect(open({ S3_ACCESS_KEY_ID: 'test:other' }).check()).rejects.toMatchObject({ status: 403 })
    await expect(open({ S3_BUCKET: 'nowhere' }).check()).rejects.toMatchObject({ status: 404 })
  })

  it('serves a signed URL, whole and in ranges, and refuses an altered or expired URL', async () => {
    const { delivery } = storage
    if (delivery.kind !== 'signed') throw new Error('the storage issues no signed URLs')
    const key = 'media/ast_1/v0/ein (1) & zwei+drei.m4s'
    await storage.write(key, 'segment-bytes')
    await storage.write('media/ast_2/locked.m4s', 'locked')
    const link = delivery.sign(key, new Date(Date.now() + 60_000))
    const response = await fetch(link)
    expect([response.status, await response.text()]).toEqual([200, 'segment-bytes'])
    expect(response.headers.get('content-type')).toBe('video/iso.segment')
    expect(response.headers.get('cache-control')).toMatch(/^private/)
    const range = await fetch(link, { headers: { range: 'bytes=0-6' } })
    expect([range.status, await range.text()]).toEqual([206, 'segment'])
    const [path = '', query = ''] = link.split('?')
    const foreignUrl = `${path.replace(/media.*/, 'media/ast_2/locked.m4s')}?${query}`
    for (const alteredUrl of [
      foreignUrl,
      path,
      link.replace(/Expires=\d+/, 'Expires=99999'),
      link.replace('private', 'public'),
    ])
      expect([400, 403], alteredUrl).toContain((await fetch(alteredUrl)).status)
    expect((await fetch(delivery.sign(key, new Date(Date.now() - 2000)))).status).toBe(403)
  })

  it('uploads a large file in parts, and resumes an unfinished upload', async () => {
    const film = randomBytes(41 * 1024 * 1024)
    const path = join(createTestFolder(storage, { 'film.mp4': film }), 'film.mp4')
    const calls = openCalls()
    const key = 'originals/film.mp4'
    const id = await calls.beginUpload(key, { ContentType: 'video/mp4', CacheControl: 'private' })
    await calls.uploadPart({ key, id }, 1, film.subarray(0, partBytes))
    expect(await unfinished(key)).toEqual([id])
    await storage.moveFromWorkDir(path, key)
    // The interrupted upload was resumed: if a new one had been started, the old one would still be listed.
    expect(await unfinished(key)).toEqual([])
    expect((await storage.read(key)).equals(film)).toBe(true)
    calls.close()
  })
})

describe('the proxy of compose.yaml', () => {
  it('serves the files of the bucket by signed links, with a sandboxing policy, because the files have the origin of the site', async () => {
    const { delivery } = storageBehindProxy
    await storageBehindProxy.check()
    if (delivery.kind !== 'signed') throw new Error('the storage issues no signed URLs')
    const key = 'media/ast_1/v0/ein (1) & zwei+drei.m4s'
    await storageBehindProxy.write(key, 'segment-bytes')
    const link = delivery.sign(key, new Date(Date.now() + 60_000))
    expect(link).toMatch(`${proxy.url}/store/media/`)
    const range = await fetch(link, { headers: { range: 'bytes=0-6' } })
    expect([range.status, await range.text()]).toEqual([206, 'segment'])
    expect(range.headers.get('content-type')).toBe('video/iso.segment')
    expect(range.headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    expect([400, 403]).toContain((await fetch(link.split('?')[0] ?? '')).status)
  })

  it.each([
    ['with the profile s3, responds with 502 while the bucket is down', 'observability,s3', 502],
    ['with all profiles, responds with 502 too', '*', 502],
    ['without the profile s3, leaves /store to the site, which responds with 404', 'observability', 404],
  ])('%s', async (_, profiles, status) => {
    const site = createServer((_request, response) => response.writeHead(404).end())
    const [sitePort, storePort] = [await freePort(), await freePort()]
    site.listen(sitePort, '127.0.0.1')
    await once(site, 'listening')
    onTestFinished(() => void site.close())
    const { url, close } = await startProxy({
      store: `127.0.0.1:${storePort}`,
      site: `127.0.0.1:${sitePort}`,
      profiles,
    })
    onTestFinished(close)
    const statuses = await Promise.all(
      ['/store', '/store/media/a.m4s', '/stores'].map(async (path) => (await fetch(url + path)).status),
    )
    expect(statuses).toEqual([status, status, 404])
  })
})

/** Returns the ids of a file's unfinished multipart uploads. */
async function unfinished(key: string): Promise<string[]> {
  const calls = openCalls()
  const ids: string[] = []
  for await (const { id } of calls.uploads(key)) ids.push(id)
  calls.close()
  return ids
}
