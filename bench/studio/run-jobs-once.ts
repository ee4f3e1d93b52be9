import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { boundToUs } from '#scripts/run-child.mjs'
import { benchEnv } from '#bench/site/start-bench-site.ts'

const maxMs = 600_000

/** Runs all scheduled jobs once, so that daily sums and ranks exist as on a running site. */
export async function runJobsOnce(pool: Pool, dataDir: string): Promise<void> {
  const worker = spawn(...boundToUs(process.execPath, ['server/worker.ts']), {
    env: benchEnv(dataDir),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(worker, 'exit')
  const deadline = Date.now() + maxMs
  try {
    for (;;) {
      const { rows } = await pool.query<{ name: string; ran: boolean }>(
        `SELECT name, failures > 0 OR coalesce(succeeded_at > now() - make_interval(secs => interval_seconds + 60), false) AS ran
         FROM scheduled_jobs`,
      )
      const waiting = rows.filter(({ ran }) => !ran)
      if (rows.length > 0 && waiting.length === 0) return
      if (worker.exitCode !== null || Date.now() > deadline)
        throw new Error(`These jobs did not run: ${waiting.map(({ name }) => name).join(', ')}`)
      await delay(500)
    }
  } finally {
    worker.kill('SIGTERM')
    await ended
  }
}
