import { parseArgs } from 'node:util'
import { createContext, type Context } from '#server/context.ts'
import { billingJobs } from '#server/features/billing/billing.ts'
import { catalogJobs } from '#server/features/catalog/catalog.ts'
import { libraryJobs, recommendationJobs } from '#server/features/library/library.ts'
import { studioJobs } from '#server/features/studio/studio.ts'
import { membersJobs } from '#server/features/members/members.ts'
import { runUploadLoop } from '#server/features/media/uploads/run-upload-loop.ts'
import { runIngestLoop } from '#server/features/media/ingest/run-ingest-loop.ts'
import { trackingJobs } from '#server/features/tracking/tracking.ts'
import { loadConfig } from '#server/platform/config.ts'
import { runMain } from '#server/platform/config-error.ts'
import { startJobs, type Job } from '#server/platform/jobs.ts'
import { feedDemo } from '#server/feed-demo.ts'
import { mailJobs } from '#server/platform/mail/send-mails.ts'
import { createLog, type Log } from '#server/platform/log.ts'
import { findFfmpeg, type Ffmpeg } from '#server/platform/run-ffmpeg-version.ts'

const niceness = 10

/** What comes round by the clock, in whichever process is first. */
function jobsOf(context: Context): Job[] {
  return [
    ...catalogJobs(context),
    ...libraryJobs(context),
    ...recommendationJobs(context),
    ...billingJobs(context),
    ...trackingJobs(context),
    ...membersJobs(context),
    ...mailJobs(context),
    ...studioJobs(context),
  ]
}

function reportDemo(log: Log, signal: AbortSignal, error: unknown): void {
  if (!signal.aborted)
    log.error({ err: error }, 'The demo catalogue could not be finished; the next start goes on with it')
}

/** `--parent`: end when the process that started this one does. `--ffmpeg`: what that process has found, as JSON. */
const flags = { parent: { type: 'boolean' }, ffmpeg: { type: 'string' } } as const

/** The worker: makes what waits in the ingest queue. */
async function main(): Promise<void> {
  const stop = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort())
  const { parent, ffmpeg } = parseArgs({ options: flags }).values
  if (parent) process.stdin.on('close', () => stop.abort()).resume()
  const config = loadConfig(process.env)
  const log = createLog({ json: config.production, level: config.logLevel })
  // Written by run-worker.ts.
  const programs = ffmpeg === undefined ? await findFfmpeg(config) : (JSON.parse(ffmpeg) as Ffmpeg)
  if (programs.bundled)
    log.info(
      `Video is made with the older ffmpeg that came with the set-up (${programs.version}); one of version 5 or newer is better`,
    )
  const context = await createContext(config, log)
  const jobs = await startJobs(context.database.pool, jobsOf(context), log)
  const ingest = { ...context, programs }
  const options = { signal: stop.signal, niceness }
  const demo = config.demo
    ? feedDemo(ingest, options).catch((error: unknown) => reportDemo(log, stop.signal, error))
    : undefined
  await Promise.all([runIngestLoop(ingest, options), runUploadLoop(ingest, stop.signal), demo])
  await jobs.stop()
  await context.close()
  // Listening to it would keep the process.
  process.stdin.destroy()
}

await runMain(main)
