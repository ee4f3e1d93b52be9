import type { Pool } from 'pg'
import type { Log } from '#server/platform/log.ts'

/** The channel on which operators request jobs to run immediately. */
export const requestedJobsChannel = 'requested_jobs'

const longestReason = 500
/** Interval for recording the success of a frequent job. The alert for a job without success allows five minutes. */
export const recordIntervalSeconds = 60
/** A job runs at least this often even if its condition is false, so that a wrong condition only delays it. */
const maxIdleSeconds = 600
/** A failed job runs again this long after its failure at the latest, so that a daily job does not wait for a day. */
const maxRetrySeconds = 3600
/** A round may start a little early, so that it is not delayed by a whole polling interval. */
const roundIsDue = `(claimed_at IS NULL OR claimed_at <= now() - make_interval(secs => 0.9 * interval_seconds))`

/** A job that has not run for this long is probably of a version that no process runs any more. */
const isUnused = `greatest(registered_at, succeeded_at, claimed_at) < now() - make_interval(secs => greatest(300, 3 * interval_seconds))`

/**
 * Creates a row for each of these jobs. Deletes unused jobs, but not those that processes of another version run during
 * a rolling update. Writes nothing if the rows are up to date.
 */
export async function registerJobs(
  pool: Pool,
  jobs: readonly { name: string; everySeconds: number }[],
): Promise<void> {
  // One statement, because each process runs it every minute.
  await pool.query(
    `WITH removed AS (DELETE FROM scheduled_jobs WHERE name <> ALL($1::text[]) AND ${isUnused})
     INSERT INTO scheduled_jobs (name, interval_seconds)
     SELECT * FROM unnest($1::text[], $2::integer[]) AS job (name, seconds)
     WHERE NOT EXISTS (SELECT FROM scheduled_jobs WHERE scheduled_jobs.name = job.name AND interval_seconds = seconds)
     ORDER BY job.name
     ON CONFLICT (name) DO UPDATE SET interval_seconds = EXCLUDED.interval_seconds`,
    [jobs.map(({ name }) => name), jobs.map(({ everySeconds }) => everySeconds)],
  )
}

/** The parts of a job that the queries need. */
export interface Conditional {
  name: string
  dueWhen?: string
}

/**
 * Finds the jobs whose round is due. Those in `due` must run; those in `idle` have nothing to do, which the caller must
 * record. A job whose last run failed is due regardless of its condition. If the conditions cannot be evaluated, all
 * count as true.
 */
export async function findDueJobs(
  pool: Pool,
  jobs: readonly Conditional[],
  now: Date,
  log: Log,
): Promise<{ due: string[]; idle: string[] }> {
  const conditional = jobs.filter(({ dueWhen }) => dueWhen !== undefined)
  const { rows } = await queryDueJobs(pool, conditional, now).catch((error: unknown) => {
    log.warn({ err: error }, 'The conditions of jobs could not be evaluated')
    return queryDueJobs(pool, [], now)
  })
  const [{ round, met } = { round: [], met: [] }] = rows
  const unmet = new Set(conditional.filter((_, index) => met[index] === false).map(({ name }) => name))
  const isIdle = ({ name, anyway }: Round) => !anyway && unmet.has(name)
  return {
    due: round.filter((each) => !isIdle(each)).map(({ name }) => name),
    idle: round.filter((each) => isIdle(each) && each.unnoted).map(({ name }) => name),
  }
}

interface Round {
  name: string
  /** True if the job runs regardless of its condition. */
  anyway: boolean
  /** True if the last recorded success of the job is older than `recordIntervalSeconds`. */
  unnoted: boolean
}

/** SQL array of the conditions of these jobs. */
const conditionsOf = (jobs: readonly Conditional[]) =>
  `ARRAY[${jobs.map(({ dueWhen = 'true' }) => `(${dueWhen})`).join(', ')}]::boolean[]`

function queryDueJobs(pool: Pool, conditional: readonly Conditional[], now: Date) {
  const text = `
    SELECT $1::timestamptz AS asked_at, ${conditionsOf(conditional)} AS met,
      (SELECT coalesce(json_agg(json_build_object('name', name, 'anyway',
          failures > 0 OR claimed_at IS NULL OR claimed_at < now() - make_interval(secs => ${maxIdleSeconds}),
          'unnoted', succeeded_at IS NULL OR succeeded_at < now() - make_interval(secs => ${recordIntervalSeconds}))), '[]')
        FROM scheduled_jobs WHERE ${roundIsDue}) AS round`
  return pool.query<{ met: boolean[]; round: Round[] }>(text, [now])
}

/** The claim of a job for a round. */
export interface Claim {
  /** The time of the claim as text, because a `Date` has no microseconds. */
  claimedAt: string
  /** True if a success was recorded recently and nothing has failed since. */
  isRecorded: boolean
}

/**
 * Claims these jobs for this round, except those that another process has claimed.
 * @returns the claims by the name of the job
 */
export async function claimRound(pool: Pool, names: readonly string[]): Promise<Map<string, Claim>> {
  const { rows } = await pool.query<Claim & { name: string }>(
    `UPDATE scheduled_jobs SET claimed_at = now() WHERE name = ANY (ARRAY(
       SELECT name FROM scheduled_jobs WHERE name = ANY($1) AND ${roundIsDue} ORDER BY name FOR UPDATE SKIP LOCKED
     )) RETURNING name, claimed_at::text AS "claimedAt", coalesce(failures = 0 AND succeeded_at >= now() - make_interval(secs => $2), false) AS "isRecorded"`,
    [names, recordIntervalSeconds],
  )
  return new Map(rows.map(({ name, ...claim }) => [name, claim]))
}

/**
 * Returns how many seconds the due run of each job has waited: 0 if the job is not due or has nothing to do. The wait
 * starts when the round was due, or at the first failure since the last success. Jobs of other versions are omitted.
 */
export async function selectQueueAges(
  pool: Pool,
  jobs: readonly Conditional[],
  now: Date,
): Promise<{ job: string; seconds: number }[]> {
  // For up to a minute after a recorded success, no further success is recorded. So a wait starts after this minute at
  // the earliest.
  const { rows } = await pool.query<{ job: string; seconds: number }>(
    `SELECT name AS job, CASE WHEN has_work OR failures > 0 THEN greatest(0, extract(epoch FROM now() - coalesce(failing_since,
         greatest(coalesce(claimed_at + make_interval(secs => interval_seconds), registered_at),
           succeeded_at + make_interval(secs => ${recordIntervalSeconds})))))::float8 ELSE 0 END AS seconds
     FROM (SELECT $1::timestamptz AS asked_at, $2::text[] AS names, ${conditionsOf(jobs)} AS met) AS asked,
       unnest(names, met) AS job (name, has_work) JOIN scheduled_jobs USING (name)`,
    [now, jobs.map(({ name }) => name)],
  )
  return rows
}

/** Records that these jobs had nothing to do. */
export async function recordNothingDue(pool: Pool, names: readonly string[]): Promise<void> {
  if (names.length === 0) return
  await pool.query(
    `UPDATE scheduled_jobs SET succeeded_at = now() WHERE name = ANY (ARRAY(
       SELECT name FROM scheduled_jobs WHERE name = ANY($1) AND failures = 0 ORDER BY name FOR UPDATE SKIP LOCKED
     ))`,
    [names],
  )
}

/** Records that a job succeeded, unless a success was recorded in the last `minIntervalSeconds`. */
export async function recordSuccess(
  pool: Pool,
  name: string,
  minIntervalSeconds = recordIntervalSeconds,
): Promise<void> {
  await pool.query(
    `UPDATE scheduled_jobs SET succeeded_at = now(), failing_since = NULL, failures = 0, last_error = NULL WHERE name = $1
     AND (failures > 0 OR succeeded_at IS NULL OR succeeded_at < now() - make_interval(secs => $2))`,
    [name, minIntervalSeconds],
  )
}

/** Releases a claim that was not used, so that another process runs the job at once. */
export async function releaseClaim(pool: Pool, name: string, claimedAt: string): Promise<void> {
  await pool.query(
    `UPDATE scheduled_jobs SET claimed_at = now() - make_interval(secs => interval_seconds)
     WHERE name = $1 AND claimed_at = $2::timestamptz`,
    [name, claimedAt],
  )
}

/** Records that a job failed, and why. Makes its next round due earlier if its interval is long. */
export async function recordFailure(pool: Pool, name: string, error: unknown): Promise<void> {
  const reason = (error instanceof Error ? error.message : String(error)).slice(0, longestReason)
  await pool.query(
    `UPDATE scheduled_jobs SET failing_since = coalesce(failing_since, now()), failures = failures + 1, last_error = $2,
       claimed_at = least(claimed_at, now() - make_interval(secs => 0.9 * interval_seconds - ${maxRetrySeconds}))
     WHERE name = $1`,
    [name, reason.replaceAll('\0', '')],
  )
}

/** Claims the jobs that operators have requested; each is given to one process. */
export async function claimRequestedJobs(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    'UPDATE scheduled_jobs SET run_requested = false WHERE run_requested RETURNING name',
  )
  return rows.map(({ name }) => name)
}
