import { sql } from 'kysely'
import type { FunnelKind } from '#contract/studio/funnel.ts'
import type { LedgerSums } from '#server/features/billing/billing.ts'
import type { Db } from '#server/tables.ts'

const differingDaysKey = 'differing_days'

/** Returns a day's revenue in the funnel, summed over all keys of a kind. */
export async function selectMoneyOfDay(db: Db, kind: FunnelKind, day: string): Promise<LedgerSums[]> {
  const { rows } = await sql<LedgerSums>`
    SELECT currency, sum(gross_cents)::float8 AS gross_cents, sum(refunded_cents)::float8 AS refunded_cents,
      sum(disputed_cents)::float8 AS disputed_cents, sum(disputes_won_cents)::float8 AS disputes_won_cents,
      sum(disputes_lost_cents)::float8 AS disputes_lost_cents
    FROM funnel_revenue WHERE kind = ${kind} AND days = 1 AND first_day = ${day}::date GROUP BY currency`.execute(
    db,
  )
  return rows
}

/** Returns a day's visits and paywall views in the funnel, summed over all keys of a kind. */
export async function selectCountsOfDay(db: Db, kind: FunnelKind, day: string) {
  const { rows } = await sql<{ visits: number; paywalls: number }>`
    SELECT coalesce(sum(visits), 0)::float8 AS visits, coalesce(sum(paywalls), 0)::float8 AS paywalls
    FROM funnel_counts WHERE kind = ${kind} AND days = 1 AND first_day = ${day}::date`.execute(db)
  return rows[0] ?? { visits: 0, paywalls: 0 }
}

/** Returns the days whose sums differed in their last comparison. */
export async function selectDifferingDays(db: Db): Promise<string[]> {
  const { rows } = await sql<{ day: string }>`
    SELECT jsonb_array_elements_text(value -> 'days') AS day FROM settings WHERE key = ${differingDaysKey}`.execute(
    db,
  )
  return rows.map(({ day }) => day)
}

export async function saveDifferingDays(db: Db, days: readonly string[]): Promise<void> {
  await sql`
    INSERT INTO settings AS existing (key, value) VALUES (${differingDaysKey}, ${JSON.stringify({ days })}::jsonb)
    ON CONFLICT (key) DO UPDATE SET value = excluded.value WHERE existing.value <> excluded.value`.execute(db)
}

/** Returns the beginning of the first day with revenue; undefined if there is none. */
export async function selectFirstRevenueAt(db: Db): Promise<Date | undefined> {
  const { rows } = await sql<{ first: Date | null }>`
    SELECT min(day)::timestamp AT TIME ZONE 'UTC' AS first FROM daily_revenue`.execute(db)
  return rows[0]?.first ?? undefined
}
