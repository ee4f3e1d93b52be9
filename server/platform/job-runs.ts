import type { Pool } from 'pg'

/** On this channel an operator asks for jobs to run before their time. */
export const wantedChannel = 'job_runs'

const longestReason = 500
/** The successes of a job that runs often are written down at this interval. */
const usualQuietSeconds = 20

/** Keeps a row for each of these jobs and forgets the others, which belonged to another version. */
export async function knowJobs(
  pool: Pool,
  jobs: readonly { name: string; everySeconds: number }[],
): Promise<void> {
  const names = jobs.map(({ name }) => name)
  await pool.query('DELETE FROM job_runs WHERE name <> ALL($1)', [names])
  await pool.query(
    `INSERT INTO job_runs (name, every_seconds) SELECT * FROM unnest($1::text[], $2::integer[]) AS job (name) ORDER BY job.name
     ON CONFLICT (name) DO UPDATE SET every_seconds = EXCLUDED.every_seconds`,
    [names, jobs.map(({ everySeconds }) => everySeconds)],
  )
}

/** Writes down that a job succeeded, unless it did in the last `quietSeconds`. */
export async function noteSuccess(pool: Pool, name: string, quietSeconds = usualQuietSeconds): Promise<void> {
  await pool.query(
    `UPDATE job_runs SET succeeded_at = now(), failing_since = NULL, failures = 0, reason = NULL WHERE name = $1
     AND (failures > 0 OR succeeded_at IS NULL OR succeeded_at < now() - make_interval(secs => $2))`,
    [name, quietSeconds],
  )
}

/** Writes down that a job failed, and why. */
export async function noteFailure(pool: Pool, name: string, error: unknown): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, longestReason)
  await pool.query(
    `UPDATE job_runs SET failing_since = coalesce(failing_since, now()), failures = failures + 1, reason = $2
     WHERE name = $1`,
    [name, reason.replaceAll('\0', '')],
  )
}

/** Takes the jobs that operators want to run now; each is given to one process. */
export async function takeWanted(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'UPDATE job_runs SET wanted = false WHERE wanted RETURNING name',
  )
  return rows.map(({ name }) => name)
}
