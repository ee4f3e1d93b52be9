import type { showBalances } from '#contract/studio/top-ups.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { spanUntil } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'
import { selectBalanceDays, selectLiability } from './balance-figures-queries.ts'

/**
 * What is owed to people with a balance now, and by day what became of it (docs/figures.md): of all days together, what was
 * topped up less what was recognised, returned and broken is the liability, to the cent.
 */
export async function loadBalanceFigures(
  db: Db,
  until: Date,
  days: number,
): Promise<ResultOf<typeof showBalances>> {
  const [liability, list] = await Promise.all([
    selectLiability(db),
    selectBalanceDays(db, spanUntil(until, days)),
  ])
  return { liability, days: list }
}
