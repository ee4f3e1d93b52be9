import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

export interface SendingBounds {
  /** How long the client may take for all of it. */
  longestMs: number
  /** Called once, when the last byte is written or the connection ends. */
  done(): void
}

/** Sends an answer as fast as the client takes it, and no longer than it may take. */
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
  // A client that leaves before the first byte is asked for would leave the stream open.
  if (reply.raw.destroyed) stream.destroy()
  else reply.raw.once('close', () => stream.destroy())
  return reply.send(stream)
}
