import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { listen } from '#server/platform/database/listen.ts'
import { systemClock, type Clock } from '#server/platform/clock.ts'
import {
  findDue,
  knowJobs,
  noteFailure,
  noteNothingDue,
  noteSuccess,
  takeRound,
  takeWanted,
  wantedChannel,
} from './job-runs.ts'
import type { Log } from '#server/platform/log.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** A scheduled job: in each interval of `everySeconds` one of all processes runs it. */
export interface Job {
  name: string
  everySeconds: number
  /**
   * A condition in SQL that holds while there may be something to do; `$1` is the time by the site's clock. Without one the job runs
   * in each of its rounds, with one only in those in which it holds, and every ten minutes all the same.
   */
  dueWhen?: string
  /** A channel of the database that also calls for it, in every process at once. */
  wakeOn?: string
  /** The signal means that the process is closing: finish what has started, and start nothing new. */
  run(signal: AbortSignal): Promise<void>
}

export interface Jobs {
  stop(): Promise<void>
}

interface Options {
  /** How often each process looks for a job that is due. */
  pollSeconds?: number
  /** What `dueWhen` goes by. */
  clock?: Clock
}

type Work = (job: Job, quietSeconds?: number) => Promise<void>

/** How long jobs under way may take once the process closes; the worker is killed soon after (run-worker.ts). */
const graceMs = 4000
const usualPollSeconds = 5

/**
 * Runs scheduled jobs. One statement every few seconds asks the site's PostgreSQL which of them are due, and writes nothing if none
 * is. A job that fails is logged and comes round again, and so does one whose process died. How each gets on is
 * written down (job-runs.ts).
 */
export async function startJobs(
  pool: Pool,
  jobs: readonly Job[],
  log: Log,
  { pollSeconds = usualPollSeconds, clock = systemClock }: Options = {},
): Promise<Jobs> {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const work: Work = async (job, quietSeconds) => {
    if (stopping.signal.aborted) return
    const run = job
      .run(stopping.signal)
      .then(
        () => noteSuccess(pool, job.name, quietSeconds),
        (error: unknown) => {
          log.error({ err: error, job: job.name }, 'A job failed and will come round again')
          return noteFailure(pool, job.name, error)
        },
      )
      .catch((error: unknown) =>
        log.warn({ err: error, job: job.name }, 'How a job went could not be written down'),
      )
    running.add(run)
    await run
    running.delete(run)
  }
  await knowJobs(pool, jobs)
  const lookForDue = createLook({ pool, clock, log }, jobs, work)
  const look = oneAtATime(() =>
    lookForDue().catch((error: unknown) =>
      log.warn({ err: error }, 'The jobs that are due could not be looked for'),
    ),
  )
  look()
  const timer = setInterval(look, pollSeconds * 1000).unref()
  const listening = wakeJobs(pool, jobs, work, log)
  return {
    async stop() {
      stopping.abort()
      clearInterval(timer)
      await Promise.all([
        listening.stop(),
        Promise.race([Promise.all(running), delay(graceMs, undefined, { ref: false })]),
      ])
    },
  }
}

/**
 * Creates the poll that starts due jobs, except those that this process is running already. A job with nothing to do counts as
 * succeeded.
 */
function createLook(
  { pool, clock, log }: Required<Pick<Options, 'clock'>> & { pool: Pool; log: Log },
  jobs: readonly Job[],
  work: Work,
) {
  const busy = new Set<string>()
  const begin = async (job: Job) => {
    busy.add(job.name)
    await work(job)
    busy.delete(job.name)
  }
  return async () => {
    const { due, idle } = await findDue(pool, jobs, clock.now(), log)
    await noteNothingDue(pool, idle)
    const names = due.filter((name) => !busy.has(name))
    if (names.length === 0) return
    const taken = new Set(await takeRound(pool, names))
    for (const job of jobs) if (taken.has(job.name)) void begin(job)
  }
}

function wakeJobs(pool: Pool, jobs: readonly Job[], work: Work, log: Log) {
  const byName = new Map(jobs.map((job) => [job.name, oneAtATime(() => work(job))]))
  // An operator who has a job run sees when it succeeded, however soon after the last time.
  const wanted = new Map(jobs.map((job) => [job.name, oneAtATime(() => work(job, 0))]))
  const wakes = new Map<string, () => void>(
    jobs.flatMap(({ name, wakeOn }) => {
      const wake = byName.get(name)
      return wake && wakeOn !== undefined ? [[wakeOn, wake] as const] : []
    }),
  )
  const runWanted = async () => {
    for (const name of await takeWanted(pool)) wanted.get(name)?.()
  }
  wakes.set(wantedChannel, () => {
    runWanted().catch((error: unknown) =>
      log.warn({ err: error }, 'What operators want to run could not be read'),
    )
  })
  return listen(pool, [...wakes.keys()], (channel) => wakes.get(channel)?.(), log)
}
