import type { Server } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'

/** Time in which a connection that has just been opened can still send its request. */
const firstRequestMs = 1000

export interface OpenRequests {
  /** Waits until no request is under way. */
  finished(): Promise<void>
}

/** Tracks the requests that a server has not answered completely. */
export function trackRequests(server: Server): OpenRequests {
  let count = 0
  let onFinished = () => {}
  server.on('request', (_request, response) => {
    count++
    response.once('close', () => {
      count--
      if (count === 0) onFinished()
    })
  })
  return {
    finished: () => (count === 0 ? Promise.resolve() : new Promise((resolve) => (onFinished = resolve))),
  }
}

/**
 * Closes the listener, finishes the requests under way within `maxMs`, then closes all connections. Connections without
 * a request, such as those that a browser opens in advance, do not delay the close.
 */
export async function closeServer(
  app: FastifyInstance,
  requests: OpenRequests,
  maxMs: number,
): Promise<void> {
  const wait = (ms: number) => delay(ms, undefined, { ref: false })
  const closed = app.close()
  await Promise.race([closed, wait(firstRequestMs).then(() => requests.finished()), wait(maxMs)])
  app.server.closeAllConnections()
  await closed
}
