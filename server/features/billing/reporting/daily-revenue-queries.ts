import { sql, type RawBuilder } from 'kysely'
import type { DaySpan } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'
import {
  isSummedLine,
  sumColumns,
  type LedgerSums,
} from '#server/features/billing/ledger/ledger-sum-queries.ts'

export type RevenueRow = LedgerSums & { day: string }

/** The aggregated figures of a day, without the ledger lines that are backdated to it. */
export interface AggregatedDay {
  day: string
  /** One entry for each currency in which money moved. */
  revenue: LedgerSums[]
  /** The numbers of subscriptions that started and ended on the day. */
  began: number
  ended: number
}

const utcDate = (column: string) => sql`(${sql.ref(column)} AT TIME ZONE 'UTC')::date`

/**
 * Sums the ledger lines that are not backdated, by day and currency. The index `ledger_lines_revenue` covers the query.
 */
export async function selectRevenue(db: Db, { from, to }: DaySpan): Promise<RevenueRow[]> {
  const { rows } = await sql<RevenueRow>`
    SELECT ${utcDate('at')}::text AS day, currency, ${sumColumns} FROM ledger_lines
    WHERE effective_at IS NULL AND ${isSummedLine} AND at >= ${from} AND at < ${to}
    GROUP BY ${utcDate('at')}, currency ORDER BY 1, 2`.execute(db)
  return rows
}

/**
 * Sums the backdated ledger lines: the outcomes of disputes, by the day when the dispute was opened, and failed
 * refunds, by the day when the refund was sent. There are few such lines, and they may be entered after their day was
 * aggregated. The index `ledger_lines_backdated` covers the query.
 */
export async function selectBackdatedRevenue(db: Db, { from, to }: DaySpan): Promise<RevenueRow[]> {
  const { rows } = await sql<RevenueRow>`
    SELECT ${utcDate('effective_at')}::text AS day, currency, ${sumColumns} FROM ledger_lines
    WHERE effective_at IS NOT NULL AND ${isSummedLine} AND effective_at >= ${from} AND effective_at < ${to}
    GROUP BY ${utcDate('effective_at')}, currency ORDER BY 1, 2`.execute(db)
  return rows
}

type Counts = Map<string, number>

/** Counts the subscriptions that started or ended on each day, depending on `column`. */
export function countSubscriptions(
  db: Db,
  column: 'started_at' | 'ended_at',
  { from, to }: DaySpan,
): Promise<Counts> {
  const at = sql.ref(column)
  return countsOf(
    db,
    sql`SELECT ${utcDate(column)}::text AS day, count(*) FROM subscriptions
      WHERE ${at} >= ${from} AND ${at} < ${to} GROUP BY ${utcDate(column)}`,
  )
}

/**
 * Counts failed renewals by day. Each renewal counts once, on the day of its first failed attempt, even if a later
 * attempt succeeds.
 */
export function countFailedRenewals(db: Db, { from, to }: DaySpan): Promise<Counts> {
  return countsOf(
    db,
    sql`SELECT ${utcDate('started_at')}::text AS day, count(DISTINCT order_id) FROM payment_attempts AS try
      WHERE status = 'failed' AND initiator = 'merchant' AND started_at >= ${from} AND started_at < ${to}
        AND NOT EXISTS (SELECT FROM payment_attempts AS earlier WHERE earlier.order_id = try.order_id AND earlier.number < try.number
          AND earlier.status = 'failed' AND earlier.initiator = 'merchant')
      GROUP BY ${utcDate('started_at')}`,
  )
}

async function countsOf(db: Db, query: RawBuilder<unknown>): Promise<Counts> {
  const { rows } = await sql<{ day: string; count: string }>`${query}`.execute(db)
  return new Map(rows.map(({ day, count }) => [day, Number(count)]))
}

/** Counts active subscriptions, including those in the grace period of a failed renewal. */
export async function countActiveSubscriptions(db: Db): Promise<number> {
  const { rows } = await sql<{ count: string }>`
    SELECT count(*) FROM subscriptions WHERE status IN ('active', 'past_due')`.execute(db)
  return Number(rows[0]?.count)
}

/** Returns the stored aggregates of the days of a span. */
export async function selectAggregatedDays(db: Db, { from, to }: DaySpan): Promise<AggregatedDay[]> {
  const { rows } = await sql<{ day: string; sums: Omit<AggregatedDay, 'day'> }>`
    SELECT day::text, sums FROM daily_revenue
    WHERE day >= (${from}::timestamptz AT TIME ZONE 'UTC')::date AND day < (${to}::timestamptz AT TIME ZONE 'UTC')::date
    ORDER BY day`.execute(db)
  return rows.map(({ day, sums }) => ({ day, ...sums }))
}

/**
 * Returns the start of the first day that is not aggregated: the day after the last aggregated day or, if no day is
 * aggregated, the day of the first ledger line. Returns undefined if there is no ledger line.
 */
export async function selectFirstUnaggregatedDay(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ first: Date | null }>`
    SELECT coalesce((SELECT max(day) + 1 FROM daily_revenue), (SELECT (min(at) AT TIME ZONE 'UTC')::date FROM ledger_lines
      WHERE effective_at IS NULL AND ${isSummedLine}))::timestamp AT TIME ZONE 'UTC' AS first`.execute(db)
  return rows[0]?.first ?? undefined
}

export async function insertAggregatedDay(db: Db, { day, ...sums }: AggregatedDay): Promise<void> {
  await sql`
    INSERT INTO daily_revenue (day, sums) VALUES (${day}::date, ${JSON.stringify(sums)}::jsonb)
    ON CONFLICT DO NOTHING`.execute(db)
}
