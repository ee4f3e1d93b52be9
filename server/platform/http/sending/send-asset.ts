import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding } from './accepted-encoding.ts'
import { climbs, sendFile } from './send-file.ts'
import { forGood } from '#server/platform/cache-control.ts'
import { contentTypeOf } from '#server/platform/content-types.ts'

/** A built file as it is, and in the forms that the build made beside it. */
interface Asset {
  plain: Buffer
  encoded: { name: string; bytes: Buffer }[]
}

const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
]

/** What was asked for, by its path. What a name with a hash names never changes, and a whole build is a few megabytes. */
const kept = new Map<string, Asset>()

/**
 * Sends a file of the build below `assets/`, whose name carries its hash, in the best form that the browser takes. It is read from
 * the disk once in the life of a process; parts of a file are sent from the disk.
 */
export async function sendAsset(
  request: FastifyRequest,
  reply: FastifyReply,
  root: string,
  file: string,
): Promise<FastifyReply> {
  const path = `assets/${file}`
  // The frames of a payment provider write in the site's font, and browsers load a font of another origin only so.
  if (path.endsWith('.woff2')) reply.header('access-control-allow-origin', '*')
  reply.header('vary', 'accept-encoding')
  const asset = request.headers.range ? undefined : await readAsset(root, path)
  if (!asset) return sendFile(request, reply, root, path, { cacheControl: forGood })
  const form = acceptedEncoding(request, asset.encoded)
  if (form) reply.header('content-encoding', form.name)
  return reply
    .header('cache-control', forGood)
    .header('content-type', contentTypeOf(path) ?? 'application/octet-stream')
    .send(form?.bytes ?? asset.plain)
}

/** @returns undefined where no such file is there, which may still come */
async function readAsset(root: string, path: string): Promise<Asset | undefined> {
  const place = join(root, path)
  const known = kept.get(place)
  if (known || climbs.test(path) || path.includes('\0')) return known
  const plain = await readIfThere(place)
  if (!plain) return undefined
  const forms = encodings.map(async ({ name, ending }) => ({
    name,
    bytes: await readIfThere(place + ending),
  }))
  const encoded = (await Promise.all(forms)).flatMap(({ name, bytes }) => (bytes ? [{ name, bytes }] : []))
  kept.set(place, { plain, encoded })
  return kept.get(place)
}

const readIfThere = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined)
