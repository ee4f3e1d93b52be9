import type { showBalances } from '#contract/studio/top-ups.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { daySpanUntil } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'
import { selectBalanceDays, selectLiability } from './balance-figures-queries.ts'

/**
 * Loads the current liability for balances, and its changes by day (docs/figures.md). Over all days, the liability
 * equals top-ups minus recognised revenue, refunds and breakage, to the cent.
 */
export async function loadBalanceFigures(
  db: Db,
  until: Date,
  days: number,
): Promise<ResultOf<typeof showBalances>> {
  const [liability, list] = await Promise.all([
    selectLiability(db),
    selectBalanceDays(db, daySpanUntil(until, days)),
  ])
  return { liability, days: list }
}
