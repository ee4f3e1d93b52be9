import { createHash } from 'node:crypto'
import { open, type FileHandle } from 'node:fs/promises'
import { forEachConcurrently } from '#server/platform/for-each-concurrently.ts'
import { StoreError, type Part, type S3Calls } from './s3-calls.ts'

/**
 * Size of a part, unless the file would need more than `maxParts`. A file up to this size is sent in one piece. S3
 * rejects parts under 5 MiB, except the last one.
 */
export const partBytes = 8 * 1024 * 1024
const maxParts = 10_000
const partsAtOnce = 3

type Headers = Parameters<S3Calls['put']>[2]

interface LargeFile {
  path: string
  key: string
  bytes: number
  headers: Headers
}

/**
 * Uploads a large file in parts. A part that an earlier attempt has already sent is not sent again. S3 keeps the parts
 * until the upload is completed or aborted, and the MD5 of a part tells whether its bytes are the same.
 */
export async function uploadInParts(calls: S3Calls, file: LargeFile, signal?: AbortSignal): Promise<void> {
  try {
    await upload(calls, file, signal)
  } catch (error) {
    // The upload may have been completed: by this process, if the response was lost, or by another one that sends the
    // same file.
    const isGone = error instanceof StoreError && error.code === 'NoSuchUpload'
    if (!isGone || (await calls.head(file.key)).bytes !== file.bytes) throw error
  }
}

async function upload(calls: S3Calls, file: LargeFile, signal?: AbortSignal): Promise<void> {
  const { upload, done } = await resumeOrStartUpload(calls, file)
  // The size is the same for every attempt at a file, so that the parts match.
  const size = Math.max(partBytes, Math.ceil(file.bytes / maxParts))
  const numbers = Array.from({ length: Math.ceil(file.bytes / size) }, (_, index) => index + 1)
  const parts: Part[] = []
  const handle = await open(file.path)
  try {
    await forEachConcurrently(numbers, partsAtOnce, async (number) => {
      signal?.throwIfAborted()
      const bytes = await readPart(
        handle,
        (number - 1) * size,
        Math.min(size, file.bytes - (number - 1) * size),
      )
      const uploadedPart = done.get(number)
      parts[number - 1] = isSame(uploadedPart, bytes)
        ? uploadedPart
        : await calls.uploadPart(upload, number, bytes, signal)
    })
  } finally {
    await handle.close()
  }
  await calls.finishUpload(upload, parts)
}

/** Returns the latest unfinished upload with its parts, or starts one. */
async function resumeOrStartUpload(calls: S3Calls, { key, headers }: LargeFile) {
  const done = new Map<number, Part>()
  let open: { key: string; id: string; startedAt: Date } | undefined
  for await (const each of calls.uploads(key))
    if (each.key === key && (!open || each.startedAt >= open.startedAt)) open = each
  if (!open) return { upload: { key, id: await calls.beginUpload(key, headers) }, done }
  for await (const part of calls.parts(open)) done.set(part.number, part)
  return { upload: open, done }
}

async function readPart(handle: FileHandle, from: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, from + filled)
    if (bytesRead === 0) throw new Error('The file became shorter while it was sent.')
    filled += bytesRead
  }
  return bytes
}

function isSame(part: Part | undefined, bytes: Buffer): part is Part {
  return part?.bytes === bytes.length && isMd5Of(part.etag, bytes)
}

/**
 * Returns whether an ETag is the MD5 of these bytes. S3 storages use the MD5 as the ETag of parts, and of files that
 * are sent in one piece. If they encrypt the data with a key of the bucket's owner, the ETag is another value, and the
 * data is sent again.
 */
export function isMd5Of(etag: string, bytes: Buffer): boolean {
  return etag.replaceAll('"', '') === createHash('md5').update(bytes).digest('hex')
}
