import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { listen } from '#server/platform/database/listen.ts'
import { systemClock, type Clock } from '#server/platform/clock.ts'
import {
  findDueJobs,
  registerJobs,
  recordFailure,
  recordNothingDue,
  recordIntervalSeconds,
  recordSuccess,
  releaseClaim,
  claimRound,
  claimRequestedJobs,
  type Claim,
  requestedJobsChannel,
} from './claim-jobs.ts'
import type { Log } from '#server/platform/log.ts'
import { coalesceRuns } from '#server/platform/coalesce-runs.ts'

/** A scheduled job: one of the processes runs it every `everySeconds` seconds. */
export interface Job {
  name: string
  everySeconds: number
  /**
   * An SQL condition that is true while there may be work; `$1` is the site's time. Without a condition, the job runs
   * in each round. With a condition, it runs in rounds in which the condition is true, and at least every ten minutes.
   */
  dueWhen?: string
  /** A database channel: each notification runs the job at once, in every process. */
  wakeOn?: string
  /** The signal means that the process is closing: finish started work, and start nothing new. */
  run(signal: AbortSignal): Promise<void>
}

export interface Jobs {
  stop(): Promise<void>
}

/** A run of a job that has ended. */
export interface CompletedJobRun {
  job: string
  outcome: 'succeeded' | 'failed'
  seconds: number
}

interface Options {
  /** Interval at which each process polls for due jobs. */
  pollSeconds?: number
  /** Called after each run in this process. */
  observe?: ((run: CompletedJobRun) => void) | undefined
  /** The clock of `dueWhen`. */
  clock?: Clock
}

type RunJob = (job: Job, options?: Partial<Claim> & { minIntervalSeconds?: number }) => Promise<void>

/** Time-out of running jobs once the process closes; the worker is killed soon after (supervise-worker.ts). */
const graceMs = 4000
/** The interval of the most frequent jobs. Work that a user waits for does not wait for the poll: it uses `wakeOn`. */
export const defaultPollSeconds = 10
/** Interval for registering the jobs again. This deletes the jobs of a version that no longer runs. */
const registerAgainMs = 60_000

/**
 * Runs scheduled jobs. Every few seconds one statement finds the due jobs, and writes nothing if there are none. A job
 * that fails runs again in its next round, or after an hour if that is earlier. A job whose process dies runs again in
 * its next round, and one whose process closes runs again at once. The outcome is recorded (claim-jobs.ts).
 */
export async function startJobs(
  pool: Pool,
  jobs: readonly Job[],
  log: Log,
  { pollSeconds = defaultPollSeconds, clock = systemClock, observe = () => {} }: Options = {},
): Promise<Jobs> {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  /** The claims of runs that have not ended. */
  const claims = new Map<string, string>()
  const runJob: RunJob = async (job, { minIntervalSeconds, claimedAt, isRecorded = false } = {}) => {
    if (claimedAt !== undefined) claims.set(job.name, claimedAt)
    if (stopping.signal.aborted) return
    const began = performance.now()
    const end = (outcome: CompletedJobRun['outcome']) => {
      const seconds = (performance.now() - began) / 1000
      observe({ job: job.name, outcome, seconds })
      return seconds
    }
    const run = job
      .run(stopping.signal)
      .then(
        () => {
          const seconds = end('succeeded')
          // The job may have ended early, so `stop` releases its claim.
          if (stopping.signal.aborted) return undefined
          if (claimedAt !== undefined) claims.delete(job.name)
          // Skips the record, so that a frequent job needs no additional transaction in each round.
          if (isRecorded && seconds < recordIntervalSeconds) return undefined
          return recordSuccess(pool, job.name, minIntervalSeconds)
        },
        (error: unknown) => {
          end('failed')
          if (claimedAt !== undefined) claims.delete(job.name)
          log.error({ err: error, job: job.name }, 'A job failed and will be retried')
          return recordFailure(pool, job.name, error)
        },
      )
      .catch((error: unknown) =>
        log.warn({ err: error, job: job.name }, 'The outcome of a job could not be recorded'),
      )
    running.add(run)
    await run
    running.delete(run)
  }
  await registerJobs(pool, jobs)
  const startDueJobs = createDueJobStarter({ pool, clock, log }, jobs, runJob)
  let lastPoll = Promise.resolve()
  const poll = coalesceRuns(() => {
    lastPoll = startDueJobs().catch((error: unknown) =>
      log.warn({ err: error }, 'The due jobs could not be queried'),
    )
    return lastPoll
  })
  poll()
  const timer = setInterval(poll, pollSeconds * 1000).unref()
  const registration = setInterval(() => {
    registerJobs(pool, jobs).catch((error: unknown) =>
      log.warn({ err: error }, 'The jobs could not be registered again'),
    )
  }, registerAgainMs).unref()
  const listener = listenForWakes(pool, jobs, runJob, log)
  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      clearInterval(registration)
      await Promise.all([
        listener.stop(),
        Promise.race([Promise.all([lastPoll, ...running]), delay(graceMs, undefined, { ref: false })]),
      ])
      for (const [job, claimedAt] of claims)
        await releaseClaim(pool, job, claimedAt).catch((error: unknown) =>
          log.warn({ err: error, job }, 'An interrupted job could not be released for another process'),
        )
    },
  }
}

/**
 * Creates the poll that starts due jobs, except those that this process is already running. A job with nothing to do
 * counts as succeeded.
 */
function createDueJobStarter(
  { pool, clock, log }: Required<Pick<Options, 'clock'>> & { pool: Pool; log: Log },
  jobs: readonly Job[],
  runJob: RunJob,
) {
  const busy = new Set<string>()
  const begin = async (job: Job, claim: Claim) => {
    busy.add(job.name)
    await runJob(job, claim)
    busy.delete(job.name)
  }
  return async () => {
    const { due, idle } = await findDueJobs(pool, jobs, clock.now(), log)
    await recordNothingDue(pool, idle)
    const names = due.filter((name) => !busy.has(name))
    if (names.length === 0) return
    const claimed = await claimRound(pool, names)
    for (const job of jobs) {
      const claim = claimed.get(job.name)
      if (claim) void begin(job, claim)
    }
  }
}

function listenForWakes(pool: Pool, jobs: readonly Job[], runJob: RunJob, log: Log) {
  const byName = new Map(jobs.map((job) => [job.name, coalesceRuns(() => runJob(job))]))
  // A requested run always records its success, even if another was recorded recently, because the operator waits to
  // see it.
  const requested = new Map(
    jobs.map((job) => [job.name, coalesceRuns(() => runJob(job, { minIntervalSeconds: 0 }))]),
  )
  const wakes = new Map<string, () => void>(
    jobs.flatMap(({ name, wakeOn }) => {
      const wake = byName.get(name)
      return wake && wakeOn !== undefined ? [[wakeOn, wake] as const] : []
    }),
  )
  const runRequested = async () => {
    for (const name of await claimRequestedJobs(pool)) requested.get(name)?.()
  }
  wakes.set(requestedJobsChannel, () => {
    runRequested().catch((error: unknown) =>
      log.warn({ err: error }, 'The jobs requested by operators could not be read'),
    )
  })
  return listen(pool, [...wakes.keys()], (channel) => wakes.get(channel)?.(), log)
}
