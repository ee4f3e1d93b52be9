import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Context } from '#server/context.ts'
import { closeServer, type OpenRequests } from '#server/platform/http/close-server.ts'
import { endRequestTime } from './platform/processes/stop-signals.ts'
import type { WorkerSupervisor } from '#server/supervise-worker.ts'
import type { Telemetry } from '#server/telemetry/open-telemetry.ts'

/**
 * The longest time from the stop signal until all requests have ended. The process exits a little later
 * (stop-signals.ts).
 */
const maxRequestsMs = 30_000

interface RunningSite {
  context: Context
  site: FastifyInstance
  requests: OpenRequests
  metrics: { close(): Promise<void> } | undefined
  worker: WorkerSupervisor | undefined
  telemetry: Telemetry
}

/** Finishes the requests in progress, stops the worker process, closes all connections, and ends the process. */
export async function closeSite({
  context,
  site,
  requests,
  metrics,
  worker,
  telemetry,
}: RunningSite): Promise<never> {
  const hint = process.stdin.isTTY ? '; press Ctrl-C again to exit at once' : ''
  context.log.info(`Closing; requests in progress have up to ${maxRequestsMs / 1000} s to finish${hint}`)
  // Asks clients to close idle connections: a proxy could send a request over a connection that the server is closing.
  site.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  const { drainMs } = context.config
  // Keeps the listener open until load balancers have noticed that the readiness check fails.
  const listenerClosed = delay(drainMs).then(() => closeServer(site, requests, maxRequestsMs - drainMs))
  await Promise.all([listenerClosed, worker?.stop()])
  endRequestTime()
  await metrics?.close()
  await context.close()
  await telemetry.close()
  process.exit(0)
}
