import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import { boundToUs } from '#scripts/run-child.mjs'
import { requestedJobsChannel } from '#server/platform/jobs/claim-jobs.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import type { Row } from '#bench/result-table.ts'
import { benchEnv } from '#bench/site/start-bench-site.ts'

const maxMs = 900_000
/** A job that ran longer than this is listed. */
const listedSeconds = 0.1

/**
 * Runs all scheduled jobs twice. The first run creates the daily sums and ranks that a running site has. The second run is
 * measured. No job may fail in either run, or take longer than its interval.
 * @returns a row for each job that took long or failed
 */
export async function measureJobs(pool: Pool, dataDir: string): Promise<Row[]> {
  const metricsPort = await freePort()
  const readDurations = () => readMetrics(`http://127.0.0.1:${metricsPort}/metrics`)
  const worker = spawn(...boundToUs(process.execPath, ['server/worker.ts']), {
    env: { ...benchEnv(dataDir), METRICS_PORT: String(metricsPort) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(worker, 'exit')
  const deadline = Date.now() + maxMs
  const waitFor = async (find: () => Promise<readonly string[] | undefined>) => {
    for (;;) {
      const waiting = await find()
      if (waiting?.length === 0) return
      if (worker.exitCode !== null || Date.now() > deadline)
        throw new Error(`These jobs did not run: ${waiting?.join(', ') ?? 'all'}`)
      await delay(500)
    }
  }
  try {
    await waitFor(() => selectWaiting(pool))
    const before = await readDurations()
    await pool.query(
      `WITH requested AS (UPDATE scheduled_jobs SET run_requested = true RETURNING name)
       SELECT pg_notify($1, '') FROM requested LIMIT 1`,
      [requestedJobsChannel],
    )
    await waitFor(async () => {
      const runs = await readDurations()
      return [...before].flatMap(([job, { count }]) => (runs.get(job)?.count === count ? [job] : []))
    })
    return await makeRows(pool, before, await readDurations())
  } finally {
    worker.kill('SIGTERM')
    await ended
  }
}

/** Returns the jobs that have not completed a run yet; undefined if no job is registered. */
async function selectWaiting(pool: Pool): Promise<string[] | undefined> {
  const { rows } = await pool.query<{ name: string; ran: boolean }>(
    `SELECT name, failures > 0 OR coalesce(succeeded_at > now() - make_interval(secs => interval_seconds + 60), false) AS ran
     FROM scheduled_jobs`,
  )
  return rows.length === 0 ? undefined : rows.filter(({ ran }) => !ran).map(({ name }) => name)
}

interface Runs {
  count: number
  failed: number
  seconds: number
}

/** Reads how many runs of each job have ended, how many of them failed, and the total duration of these runs. */
async function readMetrics(url: string): Promise<Map<string, Runs>> {
  const text = await (await fetch(url)).text()
  const jobs = new Map<string, Runs>()
  for (const [, field, labels = '', value] of text.matchAll(
    /_job_duration_seconds_(count|sum)\{(.*?)\} (\S+)/g,
  )) {
    const [, job = ''] = /job="([^"]+)"/.exec(labels) ?? []
    const runs = jobs.get(job) ?? { count: 0, failed: 0, seconds: 0 }
    if (field === 'sum') runs.seconds += Number(value)
    else runs.count += Number(value)
    if (field === 'count' && labels.includes('outcome="failed"')) runs.failed += Number(value)
    jobs.set(job, runs)
  }
  return jobs
}

async function makeRows(
  pool: Pool,
  before: ReadonlyMap<string, Runs>,
  after: ReadonlyMap<string, Runs>,
): Promise<Row[]> {
  const { rows } = await pool.query<{ name: string; interval_seconds: number; last_error: string | null }>(
    'SELECT name, interval_seconds, last_error FROM scheduled_jobs ORDER BY name',
  )
  const measured = rows.map(({ name, interval_seconds, last_error }) => {
    const [first, all] = [before.get(name), after.get(name)]
    const count = (all?.count ?? 0) - (first?.count ?? 0)
    const seconds = ((all?.seconds ?? 0) - (first?.seconds ?? 0)) / Math.max(1, count)
    const reason = last_error?.slice(0, 80) ?? 'in the first run'
    return { name, seconds, interval_seconds, failure: all?.failed ? `, failed: ${reason}` : '' }
  })
  return measured
    .filter(({ seconds, failure }) => seconds > listedSeconds || failure !== '')
    .toSorted((one, other) => other.seconds - one.seconds)
    .map(({ name, seconds, interval_seconds, failure }) => ({
      what: `job ${name}${failure}`,
      ours: `${seconds.toFixed(1)} s`,
      bare: '–',
      ratio: '–',
      target: `< ${interval_seconds} s`,
      ok: seconds < interval_seconds && failure === '',
    }))
}
