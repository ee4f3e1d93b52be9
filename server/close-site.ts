import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { Context } from '#server/context.ts'
import type { WorkerSupervisor } from '#server/run-worker.ts'
import type { Telemetry } from '#server/telemetry/open-telemetry.ts'

/** Time-out of requests in progress once the site closes. */
const graceMs = 5000
/**
 * Maximum time from the stop signal to the end of all requests; the database needs time afterwards (stop-signals.ts).
 */
const maxGraceMs = 8000

interface RunningSite {
  context: Context
  site: FastifyInstance
  metrics: { close(): Promise<void> } | undefined
  worker: WorkerSupervisor | undefined
  telemetry: Telemetry
}

/** Finishes the requests in progress, stops the worker process, closes all connections, and ends the process. */
export async function closeSite({ context, site, metrics, worker, telemetry }: RunningSite): Promise<never> {
  context.log.info('Closing')
  // Asks clients to close idle connections: a proxy could send a request over one that the server is closing.
  site.server.prependListener('request', (_request, response) => response.setHeader('connection', 'close'))
  await Promise.all([closeListener(site, context.config.drainMs), worker?.stop()])
  await metrics?.close()
  await context.close()
  await telemetry.close()
  process.exit(0)
}

/** Closes the listener after `drainMs`, so that load balancers first notice that the process is not ready. */
async function closeListener(site: FastifyInstance, drainMs: number): Promise<void> {
  await delay(drainMs)
  setTimeout(() => site.server.closeAllConnections(), Math.min(graceMs, maxGraceMs - drainMs)).unref()
  await site.close()
}
