import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export interface SendingBounds {
  /** Maximum time for the client to read the whole response. */
  longestMs: number
  /** Called once, when the last byte is written or the connection ends. */
  done(): void
}

/** Sends a response as fast as the client reads it, for at most `longestMs`. */
export function sendBounded(
  reply: FastifyReply,
  stream: Readable,
  { longestMs, done }: SendingBounds,
): FastifyReply {
  const timer = setTimeout(() => stream.destroy(new Error('the client took too long')), longestMs)
  stream.once('close', () => {
    clearTimeout(timer)
    done()
  })
  // A client that disconnects before the first read would leave the stream open.
  if (reply.raw.destroyed) stream.destroy()
  else reply.raw.once('close', () => stream.destroy())
  return reply.send(stream)
}
