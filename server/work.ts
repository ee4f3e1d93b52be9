import type { Context } from '#server/context.ts'
import { alertJobs } from '#server/features/alerts/alerts.ts'
import { billingJobs } from '#server/features/billing/billing.ts'
import { catalogJobs } from '#server/features/catalog/catalog.ts'
import { libraryJobs, recommendationJobs } from '#server/features/library/library.ts'
import { membersJobs } from '#server/features/members/members.ts'
import { runIngestLoop } from './features/media/ingest/queue/run-ingest-loop.ts'
import { runUploadLoop } from '#server/features/media/uploads/run-upload-loop.ts'
import { studioJobs } from '#server/features/studio/studio.ts'
import { trackingJobs } from '#server/features/tracking/tracking.ts'
import { feedDemo } from '#server/feed-demo.ts'
import { createBell } from './platform/jobs/bell.ts'
import { listen } from '#server/platform/database/listen.ts'
import { startJobs, type EndedRun, type Job } from './platform/jobs/jobs.ts'
import type { Log } from '#server/platform/log.ts'
import { mailJobs } from '#server/platform/mail/send-mails.ts'
import type { Converter } from './features/media/ingest/convert/programs.ts'

interface WorkOptions {
  /** Aborts the work; running jobs finish first. */
  signal: AbortSignal
  /** The niceness of ffmpeg: 0 is normal, 19 the lowest priority. */
  niceness: number
  /** The longest interval of jobs that usually run every 30 seconds or more often. Tests set it, because they wait for jobs. */
  jobSeconds?: number
  /** Told of each run of a scheduled job that ends. */
  observeJob?: ((run: EndedRun) => void) | undefined
}

/** Runs all background work until the signal aborts: ingest, uploads, scheduled jobs, the demo catalogue. */
export async function work(context: Context & { programs: Converter }, options: WorkOptions): Promise<void> {
  const { config, database, log } = context
  const { jobSeconds, observeJob } = options
  const jobs = await startJobs(database.pool, hurried(scheduledJobs(context), jobSeconds), log, {
    clock: context.clock,
    observe: observeJob,
    ...(jobSeconds === undefined ? {} : { pollSeconds: jobSeconds }),
  })
  const bells = { assets: createBell(), uploads: createBell() }
  const listening = listen(
    database.pool,
    Object.keys(bells),
    (channel) => bells[channel === 'assets' ? 'assets' : 'uploads'].ring(),
    log,
  )
  const demo = config.demo
    ? feedDemo(context, options).catch((error: unknown) => reportDemo(log, options.signal, error))
    : undefined
  await Promise.all([
    runIngestLoop(context, { ...options, bell: bells.assets }),
    runUploadLoop(context, options.signal, bells.uploads),
    demo,
  ])
  await Promise.all([listening.stop(), jobs.stop()])
}

const oftenSeconds = 30

function hurried(jobs: Job[], jobSeconds: number | undefined): Job[] {
  if (jobSeconds === undefined) return jobs
  return jobs.map((job) =>
    job.everySeconds <= oftenSeconds ? { ...job, everySeconds: Math.min(job.everySeconds, jobSeconds) } : job,
  )
}

/** The scheduled jobs of all features. */
export function scheduledJobs(context: Context): Job[] {
  return [
    ...catalogJobs(context),
    ...libraryJobs(context),
    ...recommendationJobs(context),
    ...billingJobs(context),
    ...trackingJobs(context),
    ...membersJobs(context),
    ...alertJobs(context),
    ...mailJobs(context),
    ...studioJobs(context),
  ]
}

function reportDemo(log: Log, signal: AbortSignal, error: unknown): void {
  if (!signal.aborted)
    log.error({ err: error }, 'The demo catalogue is incomplete; the next start continues it')
}
