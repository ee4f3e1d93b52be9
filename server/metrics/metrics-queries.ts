import { sql, type Selectable } from 'kysely'
import type { Db, Tables } from '#server/tables.ts'

/** A number of the database for one set of labels. */
export interface Reading {
  value: number
  labels?: Record<string, string>
}

interface Gauge {
  help: string
  labelNames?: readonly string[]
  /** @param now by the site's clock, which wrote most times (the sandbox moves it) */
  read(db: Db, now: Date): Promise<Reading[]>
}

/** Above so many rows a queue is only known to be long: counting it would cost what the queue costs. */
const most = sql.lit(10_000)
const seconds = (age: ReturnType<typeof sql>) => sql<number>`coalesce(extract(epoch FROM ${age}), 0)::float8`

async function one(db: Db, query: ReturnType<typeof sql<{ value: number }>>): Promise<Reading[]> {
  const { rows } = await query.execute(db)
  return rows
}

/** Counts rows, up to `most`. @param rows what follows SELECT */
const countUpToMost = (rows: ReturnType<typeof sql>) =>
  sql<{ value: number }>`SELECT count(*)::int AS value FROM (SELECT ${rows} LIMIT ${most}) AS counted`

type JobRun = Selectable<Tables['job_runs']>

/** A gauge with a number for each scheduled job. */
function jobGauge(help: string, valueOf: (job: JobRun) => number): Gauge {
  return {
    help,
    labelNames: ['job'],
    read: async (db) => {
      const jobs = await db.selectFrom('job_runs').selectAll().execute()
      return jobs.map((job) => ({ labels: { job: job.name }, value: valueOf(job) }))
    },
  }
}

/** What is read of the database at each scrape, by the metric's name without its prefix. Each uses an index. */
export const databaseGauges: Readonly<Record<string, Gauge>> = {
  job_last_success_timestamp_seconds: jobGauge(
    'When a scheduled job last succeeded',
    ({ succeeded_at }) => (succeeded_at?.getTime() ?? 0) / 1000,
  ),
  job_interval_seconds: jobGauge('How often a scheduled job runs', ({ every_seconds }) => every_seconds),
  job_failures: jobGauge('Failures of a scheduled job since it last succeeded', ({ failures }) => failures),
  ingest_queue: {
    help: 'Files that wait to be made into episodes (waiting), and that are being made (processing); at most 10,000',
    labelNames: ['state'],
    read: async (db) => {
      const { rows } = await sql<{ waiting: number; processing: number }>`SELECT
        (SELECT count(*) FROM (SELECT FROM assets WHERE state = 'uploaded' AND original_path IS NOT NULL LIMIT ${most}) AS queue)::int
          AS waiting,
        (SELECT count(*) FROM (SELECT FROM assets WHERE state = 'processing' LIMIT ${most}) AS queue)::int AS processing`.execute(
        db,
      )
      return Object.entries(rows[0] ?? {}).map(([state, value]) => ({ labels: { state }, value }))
    },
  },
  ingest_queue_age_seconds: {
    help: 'For how long the oldest file has waited to be made into an episode',
    read: (db) =>
      one(
        db,
        sql`SELECT coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 AS value FROM (SELECT created_at FROM assets
          WHERE state = 'uploaded' AND original_path IS NOT NULL LIMIT ${most}) AS queue`,
      ),
  },
  mail_queue: {
    help: 'Mails that wait to be sent; at most 10,000',
    read: (db) => one(db, countUpToMost(sql`FROM mails`)),
  },
  mail_queue_age_seconds: {
    help: 'For how long the mail that is due first should have been sent',
    read: (db, now) =>
      one(
        db,
        sql`SELECT greatest(0, ${seconds(sql`${now}::timestamptz - min(due_at)`)}) AS value FROM mails`,
      ),
  },
  undelivered_mails: {
    help: 'Mails that could not be delivered, of the last week; at most 10,000',
    read: (db) => one(db, countUpToMost(sql`FROM abandoned_mails`)),
  },
  push_queue: {
    help: 'Notifications of new episodes that wait to be sent; at most 10,000',
    read: (db) => one(db, countUpToMost(sql`FROM push_messages`)),
  },
  push_queue_age_seconds: {
    help: 'For how long the notification that is due first should have been sent',
    read: (db, now) =>
      one(
        db,
        sql`SELECT greatest(0, ${seconds(sql`${now}::timestamptz - min(due_at)`)}) AS value FROM push_messages`,
      ),
  },
  webhook_lag_seconds: {
    help: 'For how long the oldest webhook of each gateway has waited to be applied; without those that are looked at no more',
    labelNames: ['gateway'],
    read: async (db, now) => {
      const { rows } = await sql<{ gateway: string; value: number }>`
        SELECT gateway, ${seconds(sql`${now}::timestamptz - min(received_at)`)} AS value FROM webhook_events
        WHERE applied_at IS NULL AND check_at IS NOT NULL GROUP BY gateway`.execute(db)
      return rows.map(({ gateway, value }) => ({ labels: { gateway }, value }))
    },
  },
  payment_attempts: {
    help: 'Attempts to pay that began in the last 15 minutes, by gateway and status',
    labelNames: ['gateway', 'status'],
    read: async (db, now) => {
      const { rows } = await sql<{ gateway: string; status: string; value: number }>`
        SELECT gateway, status, count(*)::int AS value FROM (SELECT gateway, status FROM attempts
          WHERE started_at > ${now}::timestamptz - interval '15 minutes' LIMIT ${most}) AS latest
        GROUP BY gateway, status`.execute(db)
      return rows.map(({ value, ...labels }) => ({ labels, value }))
    },
  },
  renewals_overdue: {
    help: 'Subscriptions whose renewal should have begun over 10 minutes ago; at most 10,000',
    read: (db, now) =>
      one(
        db,
        countUpToMost(sql`FROM subscriptions
          WHERE status IN ('active', 'past_due') AND due_at < ${now}::timestamptz - interval '10 minutes'`),
      ),
  },
  renewals_due: {
    help: 'Subscriptions that renew within an hour; at most 10,000',
    read: (db, now) =>
      one(
        db,
        countUpToMost(sql`FROM subscriptions
          WHERE status IN ('active', 'past_due') AND due_at < ${now}::timestamptz + interval '1 hour'`),
      ),
  },
  reconciliation_differences: {
    help: "Payments in which our books and the gateway's differ and could not be brought into line; at most 10,000",
    read: (db) => one(db, countUpToMost(sql`FROM payments_to_compare WHERE abandoned`)),
  },
  health_problem: {
    help: '1 where the health check last found a problem with a part of the site',
    labelNames: ['part', 'problem'],
    read: async (db) => {
      const parts = await db.selectFrom('health_checks').select(['part', 'problem']).execute()
      return parts.map(({ part, problem }) => ({
        labels: { part, problem: problem ?? '' },
        value: problem ? 1 : 0,
      }))
    },
  },
  database_up: {
    help: '1 where the database answers; absent where it does not',
    read: (db) => one(db, sql`SELECT 1 AS value`),
  },
  database_size_bytes: {
    help: 'Size of the database',
    read: (db) => one(db, sql`SELECT pg_database_size(current_database())::float8 AS value`),
  },
  replication_lag_seconds: {
    help: 'How far each replica of the database is behind; it takes the role pg_monitor to see them',
    labelNames: ['replica'],
    read: async (db) => {
      const { rows } = await sql<{ replica: string; value: number }>`
        SELECT coalesce(nullif(application_name, ''), client_addr::text, 'local') AS replica,
          max(${seconds(sql`replay_lag`)}) AS value FROM pg_stat_replication GROUP BY 1`.execute(db)
      return rows.map(({ replica, value }) => ({ labels: { replica }, value }))
    },
  },
}
