import { setTimeout as delay } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import type { Pool } from 'pg'
import { listen } from '#server/platform/database/listen.ts'
import { knowJobs, noteFailure, noteSuccess, takeWanted, wantedChannel } from './job-runs.ts'
import type { Log } from './log.ts'

/** Work that comes round: one process of however many does it in each stretch of `everySeconds`. */
export interface Job {
  name: string
  everySeconds: number
  /** A channel of the database that also calls for it, in every process at once. */
  wakeOn?: string
  /** The signal says that the process is closing: what is begun is finished, nothing new is taken up. */
  run(signal: AbortSignal): Promise<void>
}

export interface Jobs {
  stop(): Promise<void>
}

/** How long jobs under way may take once the process closes; the worker is killed soon after (run-worker.ts). */
const graceMs = 4000
/** How often each process looks for a job that is due. */
const usualPollSeconds = 5

/**
 * Runs scheduled jobs on the site's own PostgreSQL. A job that fails is logged and comes round again; one whose process
 * died is taken up by another after its time. How each gets on is written down (job-runs.ts).
 */
export async function startJobs(
  pool: Pool,
  jobs: readonly Job[],
  log: Log,
  pollSeconds = usualPollSeconds,
): Promise<Jobs> {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const work = async (job: Job, quietSeconds?: number) => {
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
  const executeSql = (text: string, values?: unknown[]) => pool.query(text, values)
  const boss = new PgBoss({ db: { executeSql }, schema: 'jobs', maintenanceIntervalSeconds: 300 })
  boss.on('error', (error) => log.warn({ err: error }, 'The job queue had trouble'))
  await boss.start()
  await knowJobs(pool, jobs)
  const timers = await Promise.all(
    jobs.map((job) => startJob({ boss, log, pollSeconds }, job, () => work(job))),
  )
  const listening = wakeJobs(pool, jobs, work, log)
  return {
    async stop() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      await Promise.all([
        listening.stop(),
        boss.stop({ graceful: true, timeout: graceMs }),
        Promise.race([Promise.all(running), delay(graceMs, undefined, { ref: false })]),
      ])
    },
  }
}

async function startJob(
  { boss, log, pollSeconds }: { boss: PgBoss; log: Log; pollSeconds: number },
  { name, everySeconds }: Job,
  work: () => Promise<void>,
): Promise<NodeJS.Timeout> {
  await boss.createQueue(name, { retryLimit: 0, expireInSeconds: 600, deleteAfterSeconds: 3600 })
  await boss.work(name, { pollingIntervalSeconds: Math.min(everySeconds, pollSeconds) }, work)
  const ask = () =>
    boss
      .send(name, {}, { singletonSeconds: everySeconds })
      .catch((error: unknown) => log.warn({ err: error, job: name }, 'A job could not be asked for'))
  await ask()
  return setInterval(ask, everySeconds * 1000).unref()
}

function wakeJobs(
  pool: Pool,
  jobs: readonly Job[],
  work: (job: Job, quietSeconds?: number) => Promise<void>,
  log: Log,
) {
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

/** Runs when called; called while it runs, once more after that. */
function oneAtATime(run: () => Promise<void>): () => void {
  let state: 'idle' | 'running' | 'again' = 'idle'
  return () => {
    const idle = state === 'idle'
    state = idle ? 'running' : 'again'
    if (idle) void repeat()
  }

  async function repeat(): Promise<void> {
    await run()
    if (state === 'again') {
      state = 'running'
      return repeat()
    }
    state = 'idle'
  }
}
