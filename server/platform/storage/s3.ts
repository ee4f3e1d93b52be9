import { mkdirSync } from 'node:fs'
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, relative, resolve, sep } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { contentTypeOf } from '#server/platform/content-types.ts'
import type { S3Config } from '#server/platform/config/read-s3.ts'
import { forEachConcurrently } from '#server/platform/for-each-concurrently.ts'
import { presign } from './presign.ts'
import { createS3Calls, StoreError, type S3Timeouts, type S3Calls } from './s3-calls.ts'
import { checkKey, noSuchFile, type Delivery, type Storage } from './storage.ts'
import { isMd5Of, partBytes, uploadInParts } from './upload-in-parts.ts'
import { immutableCacheControl } from '#server/platform/cache-control.ts'

export interface S3Setup {
  settings: S3Config
  secretAccessKey: string
  dataDir: string
  /** The id of this site, which the bucket's marker file must contain. */
  siteId: string
  timeouts?: S3Timeouts
}

const filesAtOnce = 6

/** Time-outs of calls that a viewer waits for: about four seconds, then the viewer is asked to retry. */
const interactiveTimeouts: S3Timeouts = { attempts: 2, connectMs: 1000, idleMs: 2000, requestMs: 2000 }

/**
 * Time between the signing date of a link and its expiry. The signing date is computed from the expiry, so requests
 * with the same media signature get the same link. The browser can then use its cached response.
 */
const linkLifeMs = 12 * 3_600_000

/** Opens the storage in a bucket of any S3-compatible store; unfinished work is on this machine's disk. */
export function openS3({ settings, secretAccessKey, dataDir, siteId, timeouts }: S3Setup): Storage & {
  /** @throws StoreError if the bucket cannot be used */
  check(): Promise<unknown>
} {
  const calls = createS3Calls(settings, secretAccessKey, timeouts)
  const interactiveCalls = createS3Calls(settings, secretAccessKey, interactiveTimeouts)
  const workDir = resolve(dataDir, 'work')
  mkdirSync(workDir, { recursive: true })
  return {
    check: () => calls.checkBucket(),
    delivery: deliveryOf(settings, secretAccessKey),
    workDir,
    exists: (key) =>
      calls.head(checkKey(key)).then(
        () => true,
        (error: unknown) => {
          if (error instanceof StoreError && error.isMissing) return false
          throw error
        },
      ),
    list: (folder) => calls.list(`${checkKey(folder)}/`),
    read: (key, { interactive = false } = {}) =>
      withMissingFileError(key, () => readWhole(interactive ? interactiveCalls : calls, checkKey(key))),
    async write(key, bytes) {
      await calls.put(checkKey(key), Buffer.from(bytes), headersOf(key))
    },
    moveFromWorkDir: (path, key, signal) => uploadAndRemove(calls, path, checkKey(key), signal),
    async copy(from, to) {
      await withMissingFileError(from, () => calls.copy(checkKey(from), checkKey(to)))
    },
    async remove(key) {
      await calls.delete(checkKey(key))
      await forEachConcurrently(
        calls.list(`${key}/`),
        filesAtOnce,
        async (file) => void (await calls.delete(file.key)),
      )
    },
    async getLocalPath(key, folder, signal) {
      const path = join(folder, basename(checkKey(key)))
      await withMissingFileError(key, () => download(calls, key, path, signal))
      return path
    },
    claimOwnership: () => claimBucket(calls, siteId),
    async deleteUnfinishedUploads(before) {
      for await (const upload of calls.uploads(''))
        if (upload.startedAt < before) await calls.abortUpload(upload)
    },
  }
}

/** The key of the file that names a bucket's owner. */
export const markerKey = 'site-id'

async function claimBucket(calls: S3Calls, siteId: string): Promise<boolean> {
  const owner = await readWhole(calls, markerKey).catch((error: unknown) => {
    if (error instanceof StoreError && error.isMissing) return undefined
    throw error
  })
  if (owner !== undefined) return owner.toString() === siteId
  await calls.put(markerKey, Buffer.from(siteId), { ContentType: 'text/plain', CacheControl: 'no-store' })
  return true
}

function deliveryOf(settings: S3Config, secretAccessKey: string): Delivery {
  const { publicUrl, region, accessKeyId } = settings
  if (publicUrl !== undefined) return { kind: 'edge', origin: publicUrl }
  const address = bucketAddress(settings)
  return {
    kind: 'signed',
    origin: address.origin,
    sign: (key, expires) =>
      presign(
        { address, region, accessKeyId, secretAccessKey },
        {
          key: checkKey(key),
          expires,
          signedAt: new Date(expires.getTime() - linkLifeMs),
          query: { 'response-cache-control': `private, max-age=${linkLifeMs / 1000}, immutable` },
        },
      ),
  }
}

function bucketAddress({ endpoint, bucket, forcePathStyle }: S3Config): URL {
  const address = new URL(endpoint)
  if (forcePathStyle) address.pathname = `${address.pathname.replace(/\/$/, '')}/${bucket}`
  else address.hostname = `${bucket}.${address.hostname}`
  return address
}

/**
 * Returns the headers for browsers and caches. Captions may change. The content of any other key that browsers request
 * never changes.
 */
function headersOf(key: string) {
  const CacheControl = key.endsWith('.vtt') ? 'no-cache' : immutableCacheControl
  return { ContentType: contentTypeOf(key), CacheControl }
}

async function withMissingFileError<Answer>(key: string, ask: () => Promise<Answer>): Promise<Answer> {
  return ask().catch((error: unknown) => {
    throw error instanceof StoreError && error.isMissing ? noSuchFile(key) : error
  })
}

/** Reads a whole file. The library retries until a response begins; a response that breaks off is retried here. */
async function readWhole(calls: S3Calls, key: string): Promise<Buffer> {
  for (let remainingAttempts = calls.attempts; ; remainingAttempts--) {
    const body = await calls.get(key)
    try {
      return Buffer.from(await body.transformToByteArray())
    } catch (error) {
      if (remainingAttempts <= 1) throw new StoreError(`GetObject ${key}`, error)
    }
  }
}

/** Downloads a file and resumes after broken connections, until `attempts` in a row bring no data. */
async function download(calls: S3Calls, key: string, path: string, signal?: AbortSignal): Promise<void> {
  const { bytes, etag } = await calls.head(key)
  await writeFile(path, '')
  for (let from = 0, remainingAttempts = calls.attempts; from < bytes;) {
    const failed = await downloadRest(calls, key, path, { from, bytes, etag }, signal)
    signal?.throwIfAborted()
    const size = await sizeOf(path)
    if (size > bytes) throw new StoreError(`GetObject ${key}`, new Error('more bytes than the file has'))
    remainingAttempts = size > from ? calls.attempts : remainingAttempts - 1
    if (remainingAttempts === 0 || isLocalDiskError(failed))
      throw failed ?? new StoreError(`GetObject ${key}`, new Error('no bytes'))
    from = size
  }
}

/** Appends the rest of a file as far as it is received. @returns the error that interrupted the download */
async function downloadRest(
  calls: S3Calls,
  key: string,
  path: string,
  rest: Parameters<S3Calls['getRest']>[1],
  signal?: AbortSignal,
): Promise<Error | undefined> {
  // Opens the file before the request, so that a chunk received just before an error can be written.
  await using file = await open(path, 'a')
  try {
    const body = await calls.getRest(key, rest, signal)
    if (signal) addAbortSignal(signal, body)
    const chunks: AsyncIterable<Buffer> = body
    for await (const chunk of chunks) await file.appendFile(chunk)
    await file.sync()
    return undefined
  } catch (error) {
    if (error instanceof StoreError && !error.isUnavailable) throw error
    return error instanceof StoreError || isLocalDiskError(error)
      ? error
      : new StoreError(`GetObject ${key}`, error)
  }
}

/** Returns whether an error comes from this machine's disk, not from the store. */
function isLocalDiskError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EIO'].includes(String(error.code))
}

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  )

/**
 * Uploads a file, or a folder file by file, and deletes it locally. Files that the bucket already has are not sent
 * again. For a folder, files that only the bucket has are deleted there.
 */
async function uploadAndRemove(
  calls: S3Calls,
  path: string,
  key: string,
  signal?: AbortSignal,
): Promise<void> {
  const isFolder = (await stat(path)).isDirectory()
  if (isFolder) await moveFolder(calls, path, key, signal)
  else await sendFile(calls, path, key, signal)
  await rm(path, { recursive: true })
}

async function moveFolder(calls: S3Calls, path: string, key: string, signal?: AbortSignal): Promise<void> {
  const former = new Map<string, string>()
  for await (const file of calls.list(`${key}/`)) former.set(file.key, file.etag)
  const entries = await readdir(path, { withFileTypes: true, recursive: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
  await forEachConcurrently(files, filesAtOnce, async (file) => {
    const target = `${key}/${relative(path, file).split(sep).join('/')}`
    const etag = former.get(target)
    former.delete(target)
    await sendFile(calls, file, target, signal, etag)
  })
  await forEachConcurrently(former.keys(), filesAtOnce, async (key) => void (await calls.delete(key)))
}

async function sendFile(
  calls: S3Calls,
  path: string,
  key: string,
  signal?: AbortSignal,
  etag?: string,
): Promise<void> {
  signal?.throwIfAborted()
  const { size: bytes } = await stat(path)
  const headers = headersOf(key)
  if (bytes > partBytes) return uploadInParts(calls, { path, key, bytes, headers }, signal)
  const content = await readFile(path)
  if (etag === undefined || !isMd5Of(etag, content)) await calls.put(key, content, headers, signal)
}
