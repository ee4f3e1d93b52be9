import { sql } from 'kysely'
import type { Tx } from '#server/tables.ts'

/** What the ledger says of sales of the same day, origin, video and currency. */
export interface TakenSales {
  day: string
  /** The last touch of the order: its referrer token, 128 characters of it at most as everywhere it is counted, and kind of ad click; empty where there is none, as with renewals. */
  token: string
  click: 'meta' | 'tiktok' | 'both' | ''
  /** Empty for a plan. */
  video_id: string
  currency: string
  /** Orders that were paid, without renewals, which nobody placed. */
  paid: number
  gross_cents: number
  refunded_cents: number
  charged_back_cents: number
}

/**
 * Takes a batch of the ledger's lines to be counted, with the transaction; several processes each take others. A refund that came back
 * counts against that day's refunds, as a dispute that was won does against that day's disputes (compare `selectRevenue`).
 */
export async function takeSales(tx: Tx, most: number): Promise<{ taken: number; sales: TakenSales[] }> {
  const { rows } = await sql<TakenSales & { lines: number }>`
    WITH taken AS (
      DELETE FROM uncounted_lines WHERE line_id = ANY (ARRAY(
        SELECT line_id FROM uncounted_lines ORDER BY line_id LIMIT ${most} FOR UPDATE SKIP LOCKED
      )) RETURNING line_id
    ), lines AS (
      SELECT line.*, line.transaction_id LIKE 'charge:%' AS is_charge, line.account = 'charged_back' AS is_dispute,
        left(coalesce(orders.referrer_token, ''), 128) AS token, coalesce(orders.video_id, '') AS video_id,
        coalesce(orders.period_no, 0) > 0 AS is_renewal,
        orders.attribution ->> 'fbclid' IS NOT NULL AS meta, orders.attribution ->> 'ttclid' IS NOT NULL AS tiktok
      FROM taken JOIN ledger_lines line ON line.id = taken.line_id JOIN orders ON orders.id = line.order_id
    )
    SELECT (at AT TIME ZONE 'UTC')::date::text AS day, token, video_id, currency,
      CASE WHEN meta AND tiktok THEN 'both' WHEN meta THEN 'meta' WHEN tiktok THEN 'tiktok' ELSE '' END AS click,
      count(*)::int AS lines,
      (count(*) FILTER (WHERE is_charge AND NOT is_renewal))::int AS paid,
      coalesce(-sum(amount_cents) FILTER (WHERE is_charge), 0)::float8 AS gross_cents,
      coalesce(sum(amount_cents) FILTER (WHERE NOT is_charge AND NOT is_dispute), 0)::float8 AS refunded_cents,
      coalesce(sum(amount_cents) FILTER (WHERE is_dispute), 0)::float8 AS charged_back_cents
    FROM lines GROUP BY 1, 2, 3, 4, 5`.execute(tx)
  const sales = rows.map(({ lines: _lines, ...sums }) => sums)
  return { taken: rows.reduce((sum, { lines }) => sum + lines, 0), sales }
}
