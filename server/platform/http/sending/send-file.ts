import { send } from '@fastify/send'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentTypeOf } from '#server/platform/content-types.ts'

interface Caching {
  maxAge?: string
  cacheControl?: string
}

/**
 * Matches `..` in paths. The library would resolve `a/../b` to `b` before its check, so a URL that is signed for one
 * folder would open another.
 */
export const parentTraversal = /(^|[\\/])\.\.([\\/]|$)/

/**
 * Sends one file below `root` with ranges, conditional requests and caching. Paths outside of it, hidden files and
 * folders get 404 without a body.
 */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  root: string,
  path: string,
  caching: Caching,
): Promise<FastifyReply> {
  if (parentTraversal.test(path)) return refuse(reply, 404)
  const { cacheControl, ...options } = caching
  const result = await send(request.raw, encodeURI(path), {
    root,
    dotfiles: 'deny',
    index: false,
    ...options,
  })
  if (result.type === 'error' && result.statusCode === 416)
    return refuse(reply.header('content-range', result.headers['Content-Range']), 416)
  if (result.type === 'error') return refuse(reply, 404)
  if (result.type === 'directory') return refuse(reply, 404)
  reply.code(result.statusCode).headers(result.headers)
  const type = contentTypeOf(path)
  if (type) reply.header('content-type', type)
  if (cacheControl) reply.header('cache-control', cacheControl)
  return reply.send(result.stream)
}

/** Sends an error that caches must not store; the file may appear later. */
function refuse(reply: FastifyReply, status: number): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').send()
}
