import { sql } from 'kysely'
import type { VariantSales } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'

interface Row {
  variant: number
  currency: string | null
  exposed: string
  buyers: string
  net_cents: string
  squares: string
}

/**
 * Sums an experiment's sales by variant. Counts the orders that a viewer created between the first exposure and
 * `until`, with all income and refunds, even if they were booked later. An order that was paid entirely with bonus
 * makes its viewer a buyer, but adds no income. The index `experiment_exposures_experiment` finds the viewers, and
 * `orders_user` finds their orders.
 */
export async function countSales(db: Db, experimentId: string, until: Date): Promise<VariantSales[]> {
  const { rows } = await sql<Row>`
    WITH met AS MATERIALIZED (SELECT viewer_id, variant, at FROM experiment_exposures WHERE experiment_id = ${experimentId}),
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
  const variants = Map.groupBy(rows, ({ variant }) => variant)
  return [...variants].map(([variant, [counts, ...sums]]) => ({
    variant,
    exposed: Number(counts?.exposed),
    buyers: Number(counts?.buyers),
    revenue: sums.map(({ currency, net_cents, squares }) => ({
      currency: currency ?? '',
      net_cents: Number(net_cents),
      squares: Number(squares),
    })),
  }))
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

/**
 * Returns the experiments to count: running experiments, and stopped ones whose last count was before their end or
 * before the time `before`.
 */
export async function selectExperimentsToCount(
  db: Db,
  before: Date,
): Promise<{ id: string; stopped_at: Date | null }[]> {
  return db
    .selectFrom('experiments')
    .leftJoin('experiment_sales as counted', 'counted.experiment_id', 'experiments.id')
    .select(['experiments.id', 'experiments.stopped_at'])
    .where('experiments.started_at', 'is not', null)
    .where(
      sql<boolean>`(experiments.stopped_at IS NULL OR counted.counted_at IS NULL
        OR counted.counted_at < experiments.stopped_at OR counted.counted_at < ${before})`,
    )
    .orderBy('experiments.id')
    .execute()
}
