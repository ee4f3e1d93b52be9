import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding } from './accepted-encoding.ts'
import { parentTraversal, sendFile } from './send-file.ts'
import { immutableCacheControl } from '#server/platform/cache-control.ts'
import { contentTypeOf } from '#server/platform/content-types.ts'

/** A built file, and its compressed forms from the build. */
interface BuiltFile {
  plain: Buffer
  encoded: { name: string; bytes: Buffer }[]
}

const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
]

/**
 * Cached files by path, without expiry or limit: they never change, because their names contain a hash, and a whole
 * build is a few megabytes.
 */
const builtFiles = new Map<string, BuiltFile>()

/**
 * Sends a file of the build's `assets/` in the best encoding that the browser accepts. A process reads each file from
 * disk once, except that every range request reads from disk.
 */
export async function sendBuiltFile(
  request: FastifyRequest,
  reply: FastifyReply,
  root: string,
  file: string,
): Promise<FastifyReply> {
  const path = `assets/${file}`
  // Frames of payment providers use the site's font, and browsers require this header for fonts of another origin.
  if (path.endsWith('.woff2')) reply.header('access-control-allow-origin', '*')
  reply.header('vary', 'accept-encoding')
  const built = request.headers.range ? undefined : await readBuiltFile(root, path)
  if (!built) return sendFile(request, reply, root, path, { cacheControl: immutableCacheControl })
  const encoding = acceptedEncoding(request, built.encoded)
  if (encoding) reply.header('content-encoding', encoding.name)
  return reply
    .header('cache-control', immutableCacheControl)
    .header('content-type', contentTypeOf(path) ?? 'application/octet-stream')
    .send(encoding?.bytes ?? built.plain)
}

/** @returns undefined if the file does not exist (yet) */
async function readBuiltFile(root: string, path: string): Promise<BuiltFile | undefined> {
  const fullPath = join(root, path)
  const cached = builtFiles.get(fullPath)
  if (cached || parentTraversal.test(path) || path.includes('\0')) return cached
  const plain = await readIfExists(fullPath)
  if (!plain) return undefined
  const variants = encodings.map(async ({ name, ending }) => ({
    name,
    bytes: await readIfExists(fullPath + ending),
  }))
  const encoded = (await Promise.all(variants)).flatMap(({ name, bytes }) => (bytes ? [{ name, bytes }] : []))
  builtFiles.set(fullPath, { plain, encoded })
  return builtFiles.get(fullPath)
}

const readIfExists = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined)
