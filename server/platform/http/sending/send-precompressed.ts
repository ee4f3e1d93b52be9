import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding } from './accepted-encoding.ts'
import { sendFile } from './send-file.ts'
import { forGood } from '#server/platform/cache-control.ts'

const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

const mediaTypes: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  json: 'application/json; charset=utf-8',
}

/** Sends a built file in the best form that the build made beside it. Names below `assets/` carry their hash. */
export async function sendPrecompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  root: string,
  path: string,
): Promise<FastifyReply> {
  const safe = !path.includes('..') && !path.includes('\0')
  const made = encodings.filter(({ ending }) => safe && existsSync(join(root, path + ending)))
  const encoding = acceptedEncoding(request, made)
  const caching = path.startsWith('assets/') ? { cacheControl: forGood } : { maxAge: '1h' }
  reply.header('vary', 'accept-encoding')
  // The frames of a payment provider write in the site's font, and browsers load a font of another origin only so.
  if (path.endsWith('.woff2')) reply.header('access-control-allow-origin', '*')
  if (!encoding) return sendFile(request, reply, root, path, caching)
  reply.header('content-encoding', encoding.name)
  await sendFile(request, reply, root, path + encoding.ending, {
    ...caching,
    contentType: mediaTypes[path.slice(path.lastIndexOf('.') + 1)],
  })
  return reply
}
