import { flushCompileCache } from 'node:module'
import { createContext } from '#server/context.ts'
import { hasOperators } from '#server/features/studio/studio.ts'
import { loadConfig } from '#server/platform/config.ts'
import { explainListenError, runMain } from '#server/platform/config-error.ts'
import { forCalls, openDatabase } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { findConverter } from '#server/features/media/ingest/find-converter.ts'
import { lockSite } from '#server/platform/site-lock.ts'
import { onStopSignal } from '#server/platform/stop-signals.ts'
import { runWorker, type Worker } from '#server/run-worker.ts'
import { createSite } from '#server/site.ts'
import { noteAddress } from '#server/site-address.ts'
import type { Tables } from '#server/tables.ts'

/** How long requests under way may take once the site closes; the database needs time after them (stop-signals.ts). */
const graceMs = 5000

/** The site: HTTP here, ingest and scheduled jobs in a worker of its own beside it. */
async function main(): Promise<void> {
  const config = loadConfig(process.env)
  process.umask(config.umask)
  const log = createLog({ json: config.production, level: config.logLevel })
  const lock = config.databaseUrl === undefined ? lockSite(config.dataDir, config.publicUrl) : undefined
  process.on('exit', () => lock?.release())
  // The worker needs it; a setting that is wrong is said here, where the start can still be refused.
  const [database, programs] = await Promise.all([
    openDatabase<Tables>(config, log, forCalls(config.bounds)),
    findConverter(config),
  ])
  const context = await createContext(config, log, { database })
  const site = await createSite(context)
  await site.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
    throw explainListenError(error, config)
  })
  let closing = false
  let worker: Worker | undefined
  const close = async () => {
    closing = true
    log.info('Closing')
    setTimeout(() => site.server.closeAllConnections(), graceMs).unref()
    await Promise.all([site.close(), worker?.stop()])
    await context.close()
    process.exit(0)
  }
  onStopSignal(() => void close())
  await noteAddress(context)
  log.info(`Cliffhanger is open at ${config.publicUrl}`)
  if (!(await hasOperators(context.db)))
    log.info(
      `Nobody runs it from ${config.publicUrl}/studio yet: npm run studio -- operator add you@example.com`,
    )
  // What was compiled for this start is there for the worker, and for every later process, however this one ends.
  flushCompileCache()
  if (closing) return
  worker = runWorker(log, programs)
  // Nothing else would look for what the start has left behind, nor make the nursery small again: some 15 MB.
  globalThis.gc?.({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

await runMain(main)
