import { sql, type Selectable } from 'kysely'
import type { Db, Tables } from '#server/tables.ts'

/** A value from the database for one set of labels. */
export interface Reading {
  value: number
  labels?: Record<string, string>
}

/** A gauge that is read from the database. */
export interface DatabaseGauge {
  help: string
  labelNames?: readonly string[]
  /**
   * @param now the time of the site's clock, which the sandbox can move forward. Compare it only with times that this
   * clock has written.
   */
  read(db: Db, now: Date): Promise<Reading[]>
}

/** Queues are counted up to this many rows, since an exact count of a long queue is expensive. */
const maxCount = sql.lit(10_000)
const ageInSeconds = (age: ReturnType<typeof sql>) =>
  sql<number>`coalesce(extract(epoch FROM ${age}), 0)::float8`

async function readSingleValue(db: Db, query: ReturnType<typeof sql<{ value: number }>>): Promise<Reading[]> {
  const { rows } = await query.execute(db)
  return rows
}

/** Counts rows, up to `maxCount`. @param rows the query after SELECT */
const countUpToMax = (rows: ReturnType<typeof sql>) =>
  sql<{ value: number }>`SELECT count(*)::int AS value FROM (SELECT ${rows} LIMIT ${maxCount}) AS counted`

type JobRun = Selectable<Tables['scheduled_jobs']>

/** Creates a gauge with a value per scheduled job. */
function jobGauge(help: string, valueOf: (job: JobRun) => number): DatabaseGauge {
  return {
    help,
    labelNames: ['job'],
    read: async (db) => {
      const jobs = await db.selectFrom('scheduled_jobs').selectAll().execute()
      return jobs.map((job) => ({ labels: { job: job.name }, value: valueOf(job) }))
    },
  }
}

/** Gauges that are read from the database at each scrape, by the metric's name without its prefix. */
export const databaseGauges: Readonly<Record<string, DatabaseGauge>> = {
  job_last_success_timestamp_seconds: jobGauge(
    'When a scheduled job last succeeded',
    ({ succeeded_at }) => (succeeded_at?.getTime() ?? 0) / 1000,
  ),
  job_interval_seconds: jobGauge(
    'Interval at which a scheduled job runs',
    ({ interval_seconds }) => interval_seconds,
  ),
  job_failures: jobGauge('Failures of a scheduled job since it last succeeded', ({ failures }) => failures),
  ingest_queue: {
    help: 'Files that wait to be converted (waiting), and that are being converted (processing); at most 10,000',
    labelNames: ['state'],
    read: async (db) => {
      const { rows } = await sql<{ waiting: number; processing: number }>`SELECT
        (SELECT count(*) FROM (SELECT FROM assets WHERE state = 'uploaded' AND original_path IS NOT NULL LIMIT ${maxCount}) AS queue)::int
          AS waiting,
        (SELECT count(*) FROM (SELECT FROM assets WHERE state = 'processing' LIMIT ${maxCount}) AS queue)::int AS processing`.execute(
        db,
      )
      return Object.entries(rows[0] ?? {}).map(([state, value]) => ({ labels: { state }, value }))
    },
  },
  ingest_queue_age_seconds: {
    help: 'How long the oldest file has waited to be converted',
    read: (db) =>
      readSingleValue(
        db,
        sql`SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS value FROM (SELECT created_at FROM assets
          WHERE state = 'uploaded' AND original_path IS NOT NULL LIMIT ${maxCount}) AS queue`,
      ),
  },
  mail_queue: {
    help: 'Mails waiting to be sent; at most 10,000',
    read: (db) => readSingleValue(db, countUpToMax(sql`FROM mails`)),
  },
  mail_queue_age_seconds: {
    help: 'How long the earliest due mail is overdue',
    read: (db, now) =>
      readSingleValue(
        db,
        sql`SELECT greatest(0, ${ageInSeconds(sql`${now}::timestamptz - min(next_attempt_at)`)}) AS value FROM mails`,
      ),
  },
  abandoned_mails: {
    help: 'Mails of the last week that were abandoned after the last attempt; at most 10,000',
    read: (db) => readSingleValue(db, countUpToMax(sql`FROM abandoned_mails`)),
  },
  push_queue: {
    help: 'Notifications of new episodes that wait to be sent; at most 10,000',
    read: (db) => readSingleValue(db, countUpToMax(sql`FROM push_messages`)),
  },
  push_queue_age_seconds: {
    help: 'How long the earliest due notification is overdue',
    read: (db, now) =>
      readSingleValue(
        db,
        sql`SELECT greatest(0, ${ageInSeconds(sql`${now}::timestamptz - min(next_attempt_at)`)}) AS value FROM push_messages`,
      ),
  },
  webhook_lag_seconds: {
    help: 'How long the oldest unapplied webhook event of each gateway has waited; abandoned events are not counted',
    labelNames: ['gateway'],
    read: async (db, now) => {
      const { rows } = await sql<{ gateway: string; value: number }>`
        SELECT gateway, ${ageInSeconds(sql`${now}::timestamptz - min(received_at)`)} AS value FROM webhook_events
        WHERE applied_at IS NULL AND next_poll_at IS NOT NULL GROUP BY gateway`.execute(db)
      return rows.map(({ gateway, value }) => ({ labels: { gateway }, value }))
    },
  },
  payment_attempts: {
    help: 'Payment attempts that were started in the last 15 minutes, by gateway and status',
    labelNames: ['gateway', 'status'],
    read: async (db, now) => {
      const { rows } = await sql<{ gateway: string; status: string; value: number }>`
        SELECT gateway, status, count(*)::int AS value FROM (SELECT gateway, status FROM payment_attempts
          WHERE started_at > ${now}::timestamptz - interval '15 minutes' LIMIT ${maxCount}) AS latest
        GROUP BY gateway, status`.execute(db)
      return rows.map(({ value, ...labels }) => ({ labels, value }))
    },
  },
  renewals_overdue: {
    help: 'Subscriptions whose renewal is overdue by more than 10 minutes; at most 10,000',
    read: (db, now) =>
      readSingleValue(
        db,
        countUpToMax(sql`FROM subscriptions
          WHERE status IN ('active', 'past_due') AND next_run_at < ${now}::timestamptz - interval '10 minutes'`),
      ),
  },
  renewals_due: {
    help: 'Subscriptions that renew within an hour or are overdue; at most 10,000',
    read: (db, now) =>
      readSingleValue(
        db,
        countUpToMax(sql`FROM subscriptions
          WHERE status IN ('active', 'past_due') AND next_run_at < ${now}::timestamptz + interval '1 hour'`),
      ),
  },
  payment_discrepancies: {
    help: "Payments with an unresolved discrepancy between the site's ledger and the gateway; at most 10,000",
    read: (db) => readSingleValue(db, countUpToMax(sql`FROM payment_discrepancies WHERE abandoned`)),
  },
  health_problem: {
    help: '1 if the last health check found a problem with a component of the site',
    labelNames: ['component', 'problem'],
    read: async (db) => {
      const components = await db.selectFrom('health_checks').select(['component', 'problem']).execute()
      return components.map(({ component, problem }) => ({
        labels: { component, problem: problem ?? '' },
        value: problem ? 1 : 0,
      }))
    },
  },
  database_up: {
    help: '1 if the database responds; absent otherwise',
    read: (db) => readSingleValue(db, sql`SELECT 1 AS value`),
  },
  database_size_bytes: {
    help: 'Size of the database',
    read: (db) => readSingleValue(db, sql`SELECT pg_database_size(current_database())::float8 AS value`),
  },
  replication_lag_seconds: {
    help: 'Lag of each replica of the database; requires the role pg_monitor',
    labelNames: ['replica'],
    read: async (db) => {
      const { rows } = await sql<{ replica: string; value: number }>`
        SELECT coalesce(nullif(application_name, ''), client_addr::text, 'local') AS replica,
          max(${ageInSeconds(sql`replay_lag`)}) AS value FROM pg_stat_replication GROUP BY 1`.execute(db)
      return rows.map(({ replica, value }) => ({ labels: { replica }, value }))
    },
  },
}
