import { parseArgs } from 'node:util'
import { createContext } from '#server/context.ts'
import type { Config } from './platform/config/config.ts'
import { openDatabaseForJobs } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { findConverter, bundledFfmpegWarning } from './features/media/ingest/convert/find-converter.ts'
import type { Converter } from './features/media/ingest/convert/programs.ts'
import { openMetrics } from '#server/metrics/open-metrics.ts'
import { onStopSignal } from './platform/processes/stop-signals.ts'
import type { Tables } from '#server/tables.ts'
import type { Telemetry } from '#server/telemetry/open-telemetry.ts'
import { runBackgroundWork } from '#server/background-work.ts'

const niceness = 10

/**
 * `--parent`: the id of the parent process; this process ends when the parent ends. `--ffmpeg`: the programs that the
 * parent found, as JSON.
 */
const flags = { parent: { type: 'string' }, ffmpeg: { type: 'string' } } as const

/**
 * Runs ingest, uploads and scheduled jobs in this process until it is stopped: next to a site (`--parent`), or
 * standalone (ROLE=worker).
 * @throws ConfigError naming the invalid setting
 */
export async function startWorker(config: Config, telemetry: Telemetry): Promise<void> {
  const stop = new AbortController()
  const { parent, ffmpeg } = parseArgs({ options: flags }).values
  onStopSignal(() => {
    // Stops the site too. Checks the id first: after the parent's death, another process may have its id. Sends
    // SIGTERM, because a forwarded SIGINT could count as a second Ctrl-C.
    if (process.ppid === Number(parent)) process.kill(process.ppid, 'SIGTERM')
    stop.abort()
  })
  if (parent) process.stdin.on('close', () => stop.abort()).resume()
  process.umask(config.umask)
  const log = createLog({ json: config.production, level: config.logLevel, onError: telemetry.onError })
  // The cast is safe: supervise-worker.ts has written this JSON.
  const programs = ffmpeg === undefined ? await findConverter(config) : (JSON.parse(ffmpeg) as Converter)
  const warning = bundledFfmpegWarning(programs)
  if (warning !== undefined) log.warn(warning)
  const database = await openDatabaseForJobs<Tables>(config, log)
  const context = await createContext(config, log, { database })
  const metrics = parent === undefined ? await openMetrics(context) : undefined
  await metrics?.listen()
  await runBackgroundWork(
    { ...context, programs },
    { signal: stop.signal, niceness, observeJob: metrics?.observeJob },
  )
  await metrics?.close()
  await context.close()
  await telemetry.close()
  // The listener of the standard input would keep the process running.
  process.stdin.destroy()
}
