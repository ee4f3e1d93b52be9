import { sql } from 'kysely'
import type { VariantSales } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'

/** The sums of a variant's sales in a currency or, without a currency, the numbers of its viewers. */
export interface SalesRow {
  variant: number
  currency: string | null
  exposed: string
  buyers: string
  net_cents: string
  squares: string
}

/** A range of viewers by id, from which the sales of an experiment are counted. */
export interface ViewerRange {
  /** The last viewer before the range. */
  after: string
  /** The last viewer of the range. Without it, the range has no end. */
  last?: string | undefined
}

/** The range of all viewers. */
export const allViewers: ViewerRange = { after: '' }

/**
 * Sums an experiment's sales by variant. Counts the orders that a viewer created between the first exposure and
 * `until`, with all income and refunds, even if they were booked later. An order that was paid entirely with bonus
 * makes its viewer a buyer, but adds no income. The index `experiment_exposures_viewers` finds the viewers, all or those
 * of a range, and `orders_user` finds their orders.
 */
export async function sumSales(
  db: Db,
  experimentId: string,
  until: Date,
  { after, last }: ViewerRange = allViewers,
): Promise<SalesRow[]> {
  const begins = after === '' ? sql`` : sql`AND viewer_id > ${after}`
  const ends = last === undefined ? sql`` : sql`AND viewer_id <= ${last}`
  const { rows } = await sql<SalesRow>`
    WITH met AS MATERIALIZED (
      SELECT viewer_id, variant, at FROM experiment_exposures WHERE experiment_id = ${experimentId} ${begins} ${ends}
    ),
    paid AS MATERIALIZED (
      SELECT met.variant, met.viewer_id, orders.currency,
        coalesce(-sum(lines.amount_cents) FILTER (WHERE lines.account <> 'bonus_sales'), 0) AS net
      FROM met JOIN orders ON orders.user_id = met.viewer_id
        AND orders.created_at >= met.at AND orders.created_at < ${until} AND orders.paid_at IS NOT NULL
      JOIN ledger_lines lines ON lines.order_id = orders.id
        AND (lines.account LIKE 'sales:%' OR lines.account IN ('charged_back', 'dispute_lost', 'bonus_sales'))
      GROUP BY met.variant, met.viewer_id, orders.currency
    )
    SELECT variant, NULL AS currency, count(*) AS exposed,
      (SELECT count(DISTINCT viewer_id) FROM paid WHERE paid.variant = met.variant) AS buyers, 0 AS net_cents, 0 AS squares
    FROM met GROUP BY variant
    UNION ALL
    SELECT variant, currency, 0, 0, sum(net), sum(net * net) FROM paid GROUP BY variant, currency
    ORDER BY variant, currency NULLS FIRST`.execute(db)
  return rows
}

/** Returns whether an experiment has more than `limit` viewers. Reads no more than that. */
export async function hasMoreViewers(db: Db, experimentId: string, limit: number): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM experiment_exposures WHERE experiment_id = ${experimentId} OFFSET ${limit} LIMIT 1`.execute(
    db,
  )
  return rows.length > 0
}

/**
 * Returns the last of the next `size` viewers of an experiment, in the order of their ids, or undefined if fewer are
 * left.
 */
export async function selectSliceEnd(
  db: Db,
  experimentId: string,
  after: string,
  size: number,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('experiment_exposures')
    .select('viewer_id')
    .where('experiment_id', '=', experimentId)
    .where('viewer_id', '>', after)
    .orderBy('viewer_id')
    .offset(size - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.viewer_id
}

/** Returns the stored count of an experiment's sales, or undefined if they were never counted. */
export function selectCountedSales(db: Db, experimentId: string) {
  return db
    .selectFrom('experiment_sales')
    .select(['variants', 'counted_at'])
    .where('experiment_id', '=', experimentId)
    .executeTakeFirst()
}

/** Stores the counted sales of an experiment, unless a later count is stored. */
export async function upsertCountedSales(
  db: Db,
  experimentId: string,
  variants: readonly VariantSales[],
  at: Date,
): Promise<void> {
  const counted = { variants: JSON.stringify(variants), counted_at: at }
  await db
    .insertInto('experiment_sales')
    .values({ experiment_id: experimentId, ...counted })
    .onConflict((conflict) =>
      conflict
        .column('experiment_id')
        .doUpdateSet(counted)
        .where(sql<boolean>`experiment_sales.counted_at < excluded.counted_at`),
    )
    .execute()
}

/** Returns the experiments that have started, each with its last count of sales (null if never counted). */
export function selectStartedExperiments(db: Db) {
  return db
    .selectFrom('experiments')
    .leftJoin('experiment_sales as counted', 'counted.experiment_id', 'experiments.id')
    .select(['experiments.id', 'experiments.stopped_at', 'counted.counted_at', 'counted.variants'])
    .where('experiments.started_at', 'is not', null)
    .orderBy('experiments.id')
    .execute()
}
