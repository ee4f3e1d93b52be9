import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'
import { requestedJobsChannel } from '#server/platform/jobs/claim-jobs.ts'
import type { ComponentHealth } from '#contract/studio/system.ts'

export type HealthFinding = Pick<ComponentHealth, 'component' | 'problem' | 'detail'>

/**
 * Runs a trivial query.
 * @throws Error if the database does not respond
 */
export async function pingDatabase(db: Db): Promise<void> {
  await sql`SELECT 1`.execute(db)
}

/**
 * Stores the findings of all components. `since` changes only with `problem`. Deletes components that are no longer
 * checked.
 */
export async function saveFindings(db: Db, findings: readonly HealthFinding[]): Promise<void> {
  await sql`
    WITH found AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(findings)}::jsonb)
      AS found (component text, problem text, detail text)),
    gone AS (DELETE FROM health_checks WHERE component NOT IN (SELECT component FROM found))
    INSERT INTO health_checks AS known (component, problem, detail) SELECT component, problem, detail FROM found ORDER BY component
    ON CONFLICT (component) DO UPDATE SET problem = EXCLUDED.problem, detail = EXCLUDED.detail, checked_at = now(),
      since = CASE WHEN known.problem IS DISTINCT FROM EXCLUDED.problem THEN now() ELSE known.since END`.execute(
    db,
  )
}

export function selectComponents(db: Db) {
  return db
    .selectFrom('health_checks')
    .select(['component', 'problem', 'detail', 'since', 'checked_at'])
    .orderBy('component')
    .execute()
}

/** A job is late if its last success is more than three of its intervals ago, and more than five minutes. */
const isLate = sql<boolean>`coalesce(succeeded_at, registered_at)
  < now() - make_interval(secs => greatest(300, 3 * interval_seconds))`

export function selectJobs(db: Db) {
  return db
    .selectFrom('scheduled_jobs')
    .select([
      'name',
      'interval_seconds',
      'succeeded_at',
      'failing_since',
      'failures',
      'last_error',
      'run_requested',
    ])
    .select(isLate.as('late'))
    .orderBy((eb) => eb('failing_since', 'is', null))
    .orderBy('name')
    .execute()
}
export type JobRow = Awaited<ReturnType<typeof selectJobs>>[number]

/**
 * Requests an immediate run of a job.
 * @returns false if the job does not exist
 */
export async function requestJobRun(tx: Tx, name: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('scheduled_jobs')
    .set({ run_requested: true })
    .where('name', '=', name)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await sql`SELECT pg_notify(${requestedJobsChannel}, '')`.execute(tx)
  return true
}

/** Returns the time of the last successful job run; null if there is none. */
export async function selectLastRun(db: Db): Promise<Date | null> {
  const { last } = await db
    .selectFrom('scheduled_jobs')
    .select((eb) => eb.fn.max<Date | null>('succeeded_at').as('last'))
    .executeTakeFirstOrThrow()
  return last
}

/** Counts mails that wait for a retry or are overdue by five minutes, but counts no further than 100. */
export async function countStuckMails(db: Db, now: Date): Promise<number> {
  const { rows } = await sql<{ stuck: number }>`
    SELECT count(*)::integer AS stuck FROM (SELECT FROM mails
      WHERE attempts > 1 OR next_attempt_at < ${new Date(now.getTime() - 300_000)} AND created_at < now() - interval '5 minutes'
      LIMIT 100) AS stuck_mails`.execute(db)
  return rows[0]?.stuck ?? 0
}
