import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export interface SendLimits {
  /** Maximum time for the client to read the whole response. */
  maxDurationMs: number
  /** Called once, when the last byte is written or the connection ends. */
  onDone(): void
}

/** Sends a response as fast as the client reads it, for at most `maxDurationMs`. */
export function sendBounded(
  reply: FastifyReply,
  stream: Readable,
  { maxDurationMs, onDone }: SendLimits,
): FastifyReply {
  const timer = setTimeout(() => stream.destroy(new Error('the client took too long')), maxDurationMs)
  stream.once('close', () => {
    clearTimeout(timer)
    onDone()
  })
  // A client that disconnects before the first read would leave the stream open.
  if (reply.raw.destroyed) stream.destroy()
  else reply.raw.once('close', () => stream.destroy())
  return reply.send(stream)
}
