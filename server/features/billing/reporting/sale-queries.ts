import { sql } from 'kysely'
import type { DaySpan } from '#server/platform/utc-days.ts'
import type { Db, Tx } from '#server/tables.ts'
import { sumColumns, type LedgerSums } from '#server/features/billing/ledger/ledger-sum-queries.ts'

/** Sums of the ledger lines of sales with the same day, attribution, video and currency. */
export interface SalesSums extends LedgerSums {
  /** The UTC day on which the lines are counted (docs/figures.md, "Dates"). */
  day: string
  /** True if the orders are renewals. */
  renewal: boolean
  /**
   * The last touch of the order or, for a renewal, of the subscription's first order. It consists of the first 128
   * characters of the referrer token, and the kind of ad click. '' means none.
   */
  token: string
  click: 'meta' | 'tiktok' | 'both' | ''
  /**
   * The video that was bought or, for a plan, the drama that the subscription's first order is credited to. '' means
   * none.
   */
  video_id: string
  /** The number of paid orders that are not renewals, including those paid entirely with bonus. */
  paid: number
}

/** Returns whether the funnel lacks ledger lines of these days. */
export async function hasUnaggregatedLines(db: Db, { from, to }: DaySpan): Promise<boolean> {
  const { rows } = await sql<{ any: boolean }>`
    SELECT EXISTS (SELECT FROM unaggregated_ledger_lines JOIN ledger_lines ON ledger_lines.id = line_id
      WHERE coalesce(effective_at, at) >= ${from} AND coalesce(effective_at, at) < ${to}) AS any`.execute(db)
  return rows[0]?.any === true
}

/**
 * Takes a batch of unaggregated ledger lines and returns their sums. The caller adds the sums to the funnel in the same
 * transaction. Concurrent processes get different lines.
 */
export async function takeUnaggregatedSales(
  tx: Tx,
  limit: number,
): Promise<{ takenCount: number; sales: SalesSums[] }> {
  const { rows } = await sql<SalesSums & { lines: number }>`
    WITH taken AS (
      DELETE FROM unaggregated_ledger_lines WHERE line_id = ANY (ARRAY(
        SELECT line_id FROM unaggregated_ledger_lines ORDER BY line_id LIMIT ${limit} FOR UPDATE SKIP LOCKED
      )) RETURNING line_id
    ), lines AS (
      SELECT line.transaction_id, line.account, line.amount_cents, line.currency, coalesce(line.effective_at, line.at) AS at,
        coalesce(orders.period_no, 0) > 0 AS renewal,
        left(coalesce(credited.referrer_token, ''), 128) AS token,
        coalesce(credited.video_id, credited.attribution ->> 'video_id', '') AS video_id,
        credited.attribution ->> 'fbclid' IS NOT NULL AS meta, credited.attribution ->> 'ttclid' IS NOT NULL AS tiktok
      FROM taken JOIN ledger_lines line ON line.id = taken.line_id JOIN orders ON orders.id = line.order_id
        LEFT JOIN orders first ON first.subscription_id = orders.subscription_id AND first.period_no = 0
        JOIN orders credited ON credited.id = coalesce(first.id, orders.id)
    )
    SELECT (at AT TIME ZONE 'UTC')::date::text AS day, renewal, token, video_id, currency,
      CASE WHEN meta AND tiktok THEN 'both' WHEN meta THEN 'meta' WHEN tiktok THEN 'tiktok' ELSE '' END AS click,
      count(*)::int AS lines,
      (count(*) FILTER (WHERE transaction_id LIKE 'charge:%' AND NOT renewal))::int AS paid, ${sumColumns}
    FROM lines GROUP BY 1, 2, 3, 4, 5, 6`.execute(tx)
  const sales = rows.map(({ lines: _lines, ...sums }) => sums)
  return { takenCount: rows.reduce((sum, { lines }) => sum + lines, 0), sales }
}
