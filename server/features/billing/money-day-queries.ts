import { sql, type RawBuilder } from 'kysely'
import type { DaySpan } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'

export interface RevenueRow {
  day: string
  currency: string
  gross_cents: number
  refunded_cents: number
  charged_back_cents: number
}

/** What can be said of a day once it is over. */
export interface SummedDay {
  day: string
  /** One for each currency in which money moved. */
  revenue: Omit<RevenueRow, 'day'>[]
  began: number
  ended: number
}

const utcDate = (column: string) => sql`(${sql.ref(column)} AT TIME ZONE 'UTC')::date`

/**
 * What the ledger says of each day and currency. A refund that came back counts against that day's refunds, as a dispute
 * that was won does against that day's disputes. `ledger_lines_revenue` holds all that is read.
 */
export async function selectRevenue(db: Db, { from, to }: DaySpan): Promise<RevenueRow[]> {
  const { rows } = await sql<Record<keyof RevenueRow, string>>`
    SELECT ${utcDate('at')}::text AS day, currency,
      coalesce(-sum(amount_cents) FILTER (WHERE transaction_id LIKE 'charge:%'), 0) AS gross_cents,
      coalesce(sum(amount_cents) FILTER (WHERE account <> 'charged_back' AND transaction_id NOT LIKE 'charge:%'), 0)
        AS refunded_cents,
      coalesce(sum(amount_cents) FILTER (WHERE account = 'charged_back'), 0) AS charged_back_cents
    FROM ledger_lines
    WHERE (account LIKE 'sales:%' OR account = 'charged_back') AND at >= ${from} AND at < ${to}
    GROUP BY ${utcDate('at')}, currency ORDER BY 1, 2`.execute(db)
  return rows.map((row) => ({
    day: row.day,
    currency: row.currency,
    gross_cents: Number(row.gross_cents),
    refunded_cents: Number(row.refunded_cents),
    charged_back_cents: Number(row.charged_back_cents),
  }))
}

type Counts = Map<string, number>

/** How many subscriptions began on each day, or ended. */
export function countSubscriptions(
  db: Db,
  what: 'began_at' | 'ended_at',
  { from, to }: DaySpan,
): Promise<Counts> {
  const at = sql.ref(what)
  return countsOf(
    db,
    sql`SELECT ${utcDate(what)}::text AS day, count(*) FROM subscriptions
      WHERE ${at} >= ${from} AND ${at} < ${to} GROUP BY ${utcDate(what)}`,
  )
}

/** How many renewals failed to be charged on each day, however often each was tried on it. */
export function countFailedRenewals(db: Db, { from, to }: DaySpan): Promise<Counts> {
  return countsOf(
    db,
    sql`SELECT ${utcDate('started_at')}::text AS day, count(DISTINCT order_id) FROM attempts
      WHERE status = 'failed' AND idempotency_key LIKE 'renew:%' AND started_at >= ${from} AND started_at < ${to}
      GROUP BY ${utcDate('started_at')}`,
  )
}

async function countsOf(db: Db, query: RawBuilder<unknown>): Promise<Counts> {
  const { rows } = await sql<{ day: string; count: string }>`${query}`.execute(db)
  return new Map(rows.map(({ day, count }) => [day, Number(count)]))
}

/** How many subscribe now: whoever is in the grace of a failed renewal still does. */
export async function countLive(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    SELECT count(*) FROM subscriptions WHERE status IN ('active', 'past_due')`.execute(db)
  return Number(rows[0]?.count)
}

/** The days of a span that were summed up when they were over. */
export async function selectSummedDays(db: Db, { from, to }: DaySpan): Promise<SummedDay[]> {
  const { rows } = await sql<{ day: string; sums: Omit<SummedDay, 'day'> }>`
    SELECT day::text, sums FROM money_days
    WHERE day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date AND day < (${to}::timestamptz AT TIME ZONE 'UTC')::date
    ORDER BY day`.execute(db)
  return rows.map(({ day, sums }) => ({ day, ...sums }))
}

/** When the first day that is not summed up begins, as far as money goes back; undefined where there is none. */
export async function selectFirstUnsummed(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ first: Date | null }>`
    SELECT coalesce((SELECT max(day) + 1 FROM money_days), (SELECT (min(at) AT TIME ZONE 'UTC')::date FROM ledger_lines
      WHERE account LIKE 'sales:%' OR account = 'charged_back'))::timestamp AT TIME ZONE 'UTC' AS first`.execute(
    db,
  )
  return rows[0]?.first ?? undefined
}

export async function insertSummedDay(db: Db, { day, ...sums }: SummedDay): Promise<void> {
  await sql`
    INSERT INTO money_days (day, sums) VALUES (${day}::date, ${JSON.stringify(sums)}::jsonb)
    ON CONFLICT DO NOTHING`.execute(db)
}
