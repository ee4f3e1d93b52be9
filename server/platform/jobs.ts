import { PgBoss } from 'pg-boss'
import type { Pool } from 'pg'
import type { Log } from './log.ts'

/** Work that comes round: one process of however many does it in each stretch of `everySeconds`. */
export interface Job {
  name: string
  everySeconds: number
  run(): Promise<void>
}

export interface Jobs {
  stop(): Promise<void>
}

/**
 * Runs scheduled jobs on the site's own PostgreSQL. A job that fails is logged and comes round again; one whose process
 * died is taken up by another after its time.
 */
export async function startJobs(pool: Pool, jobs: readonly Job[], log: Log): Promise<Jobs> {
  const executeSql = (text: string, values?: unknown[]) => pool.query(text, values)
  const boss = new PgBoss({ db: { executeSql }, schema: 'jobs', maintenanceIntervalSeconds: 300 })
  boss.on('error', (error) => log.warn({ err: error }, 'The job queue had trouble'))
  await boss.start()
  const timers = await Promise.all(jobs.map((job) => startJob(boss, job, log)))
  return {
    async stop() {
      for (const timer of timers) clearInterval(timer)
      await boss.stop({ graceful: true, timeout: 5000 })
    },
  }
}

async function startJob(boss: PgBoss, { name, everySeconds, run }: Job, log: Log): Promise<NodeJS.Timeout> {
  await boss.createQueue(name, { retryLimit: 0, expireInSeconds: 600, deleteAfterSeconds: 3600 })
  await boss.work(name, { pollingIntervalSeconds: Math.min(everySeconds, 5) }, async () => {
    await run().catch((error: unknown) =>
      log.error({ err: error, job: name }, 'A job failed and will come round again'),
    )
  })
  const ask = () =>
    boss
      .send(name, {}, { singletonSeconds: everySeconds })
      .catch((error: unknown) => log.warn({ err: error, job: name }, 'A job could not be asked for'))
  await ask()
  return setInterval(ask, everySeconds * 1000).unref()
}
