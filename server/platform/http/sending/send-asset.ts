import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding } from './accepted-encoding.ts'
import { parentTraversal, sendFile } from './send-file.ts'
import { immutableCacheControl } from '#server/platform/cache-control.ts'
import { contentTypeOf } from '#server/platform/content-types.ts'

/** A built file, and its compressed forms from the build. */
interface Asset {
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
const assetCache = new Map<string, Asset>()

/**
 * Sends a file of the build's `assets/` in the best encoding that the browser accepts. A process reads each file from
 * disk once, except that every range request reads from disk.
 */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  root: string,
  file: string,
): Promise<FastifyReply> {
  const path = `assets/${file}`
  // Frames of payment providers use the site's font, and browsers require this header for fonts of another origin.
  if (path.endsWith('.woff2')) reply.header('access-control-allow-origin', '*')
  reply.header('vary', 'accept-encoding')
  const asset = request.headers.range ? undefined : await readAsset(root, path)
  if (!asset) return sendFile(request, reply, root, path, { cacheControl: immutableCacheControl })
  const encoding = acceptedEncoding(request, asset.encoded)
  if (encoding) reply.header('content-encoding', encoding.name)
  return reply
    .header('cache-control', immutableCacheControl)
    .header('content-type', contentTypeOf(path) ?? 'application/octet-stream')
    .send(encoding?.bytes ?? asset.plain)
}

/** @returns undefined if the file does not exist (yet) */
async function readAsset(root: string, path: string): Promise<Asset | undefined> {
  const fullPath = join(root, path)
  const cached = assetCache.get(fullPath)
  if (cached || parentTraversal.test(path) || path.includes('\0')) return cached
  const plain = await readIfExists(fullPath)
  if (!plain) return undefined
  const variants = encodings.map(async ({ name, ending }) => ({
    name,
    bytes: await readIfExists(fullPath + ending),
  }))
  const encoded = (await Promise.all(variants)).flatMap(({ name, bytes }) => (bytes ? [{ name, bytes }] : []))
  assetCache.set(fullPath, { plain, encoded })
  return assetCache.get(fullPath)
}

const readIfExists = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined)
