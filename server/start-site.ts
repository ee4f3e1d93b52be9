import { flushCompileCache } from 'node:module'
import { closeSite } from './close-site.ts'
import { commandLineOf } from '#scripts/command-line-of.mjs'
import { createContext } from '#server/context.ts'
import { hasOperators } from '#server/features/studio/studio.ts'
import { openMetrics } from '#server/metrics/open-metrics.ts'
import type { Config } from './platform/config/config.ts'
import { explainListenError } from './platform/config/config-error.ts'
import { openDatabaseForRequests } from '#server/platform/database/database.ts'
import { trackRequests } from '#server/platform/http/close-server.ts'
import { createLog } from '#server/platform/log.ts'
import { findConverter } from './features/media/ingest/convert/find-converter.ts'
import { lockSite } from './platform/processes/site-lock.ts'
import { onStopSignal, siteStopTimeoutMs } from './platform/processes/stop-signals.ts'
import { superviseWorker, type WorkerSupervisor } from '#server/supervise-worker.ts'
import { createSite } from '#server/site.ts'
import { recordSiteAddress } from '#server/site-address.ts'
import type { Tables } from '#server/tables.ts'
import type { Telemetry } from '#server/telemetry/open-telemetry.ts'

/**
 * Runs the site until it is stopped: HTTP in this process, and ingest and scheduled jobs in a worker process unless
 * ROLE=web.
 * @throws ConfigError naming the invalid setting
 */
export async function startSite(config: Config, telemetry: Telemetry): Promise<void> {
  process.umask(config.umask)
  const log = createLog({ json: config.production, level: config.logLevel, onError: telemetry.onError })
  const lock = config.databaseUrl === undefined ? lockSite(config.dataDir, config.publicUrl) : undefined
  process.on('exit', () => lock?.release())
  let stopping = false
  const open = async () => {
    const database = await openDatabaseForRequests<Tables>(config, log, config.resourceLimits)
    const context = await createContext(config, log, { database })
    const metrics = await openMetrics(context)
    return { context, metrics, site: await createSite(context, { isStopping: () => stopping, metrics }) }
  }
  // The worker process needs ffmpeg. This process searches for it, because an invalid setting can still stop the start
  // here. The search is slow, so it runs in parallel with opening the site.
  const [{ context, metrics, site }, programs] = await Promise.all([
    open(),
    config.role === 'all' ? findConverter(config) : undefined,
  ])
  const requests = trackRequests(site.server)
  await site.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
    throw explainListenError(error, config)
  })
  await metrics?.listen()
  let worker: WorkerSupervisor | undefined
  onStopSignal(() => {
    stopping = true
    void closeSite({ context, site, requests, metrics, worker, telemetry })
  }, siteStopTimeoutMs)
  await recordSiteAddress(context)
  log.info(`Cliffhanger is open at ${config.publicUrl}`)
  if (!(await hasOperators(context.db)))
    log.info(`No admin account yet. Create one: ${commandLineOf('studio', 'operator add you@example.com')}`)
  // Writes the compile cache now, for the worker and later processes, even if this process is killed.
  flushCompileCache()
  if (stopping) return
  if (programs) worker = superviseWorker(log, programs)
  // Frees about 15 MB: the garbage of the start and unused space of the young generation. Otherwise the next major
  // collection would run much later.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
