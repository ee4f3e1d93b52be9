import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { acceptedEncoding } from './accepted-encoding.ts'

const brotli = promisify(brotliCompress)
const encodings = [
  // At this quality a page of 50 KB takes a millisecond and is small enough.
  { name: 'br', shrink: (text: string) => brotli(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }) },
  { name: 'gzip', shrink: promisify<string, Buffer>(gzip) },
] as const

/**
 * Compresses a text that was generated for this request with the best encoding that the browser accepts, off the main
 * thread.
 */
export async function sendCompressed(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<FastifyReply> {
  const encoding = acceptedEncoding(request, encodings)
  reply.header('vary', 'accept-encoding')
  if (!encoding) return reply.send(text)
  return reply.header('content-encoding', encoding.name).send(await encoding.shrink(text))
}
