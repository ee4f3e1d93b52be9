import type { Context } from '#server/context.ts'
import { runIngestLoop } from './features/media/ingest/queue/run-ingest-loop.ts'
import { runUploadLoop } from '#server/features/media/uploads/run-upload-loop.ts'
import { createDemoCatalogue } from '#server/create-demo-catalogue.ts'
import { createWakeSignal } from './platform/jobs/wake-signal.ts'
import { listen } from '#server/platform/database/listen.ts'
import { startJobs, type CompletedJobRun, type Job } from './platform/jobs/jobs.ts'
import type { Log } from '#server/platform/log.ts'
import { scheduledJobs } from '#server/scheduled-jobs.ts'
import type { Converter } from './features/media/ingest/convert/programs.ts'

interface WorkOptions {
  /** Aborts the work; running jobs finish first. */
  signal: AbortSignal
  /** The niceness of ffmpeg: 0 is normal, 19 the lowest priority. */
  niceness: number
  /** Limits the interval of each job that runs at least every 30 seconds. Only tests set it, to wait less. */
  maxJobSeconds?: number
  /** Called after each run of a scheduled job. */
  observeJob?: ((run: CompletedJobRun) => void) | undefined
}

/** Runs all background work until the signal aborts: ingest, uploads, scheduled jobs, the demo catalogue. */
export async function runBackgroundWork(
  context: Context & { programs: Converter },
  options: WorkOptions,
): Promise<void> {
  const { config, database, log } = context
  const { maxJobSeconds, observeJob } = options
  const jobs = await startJobs(database.pool, withMaxInterval(scheduledJobs(context), maxJobSeconds), log, {
    clock: context.clock,
    observe: observeJob,
    ...(maxJobSeconds === undefined ? {} : { pollSeconds: maxJobSeconds }),
  })
  const wakeSignals = { assets: createWakeSignal(), uploads: createWakeSignal() }
  const listening = listen(
    database.pool,
    Object.keys(wakeSignals),
    (channel) => wakeSignals[channel === 'assets' ? 'assets' : 'uploads'].wake(),
    log,
  )
  const demo = config.demo
    ? createDemoCatalogue(context, options).catch((error: unknown) =>
        logDemoFailure(log, options.signal, error),
      )
    : undefined
  await Promise.all([
    runIngestLoop(context, { ...options, wakeSignal: wakeSignals.assets }),
    runUploadLoop(context, options.signal, wakeSignals.uploads),
    demo,
    // At once, because the jobs may need their whole grace period to stop.
    aborted(options.signal).then(() => jobs.stop()),
  ])
  await listening.stop()
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

const frequentJobSeconds = 30

function withMaxInterval(jobs: Job[], maxJobSeconds: number | undefined): Job[] {
  if (maxJobSeconds === undefined) return jobs
  return jobs.map((job) =>
    job.everySeconds <= frequentJobSeconds
      ? { ...job, everySeconds: Math.min(job.everySeconds, maxJobSeconds) }
      : job,
  )
}

function logDemoFailure(log: Log, signal: AbortSignal, error: unknown): void {
  if (!signal.aborted)
    log.error({ err: error }, 'The demo catalogue is incomplete; the next start continues it')
}
