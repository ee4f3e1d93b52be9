import type { Reconciliation } from '#contract/studio/orders.ts'
import { dayMs } from '#server/platform/clock.ts'
import { dayName } from '#server/platform/utc-days.ts'
import type { BillingContext } from './billing-context.ts'
import { selectReconciledTo } from './reconciliation-queries.ts'
import { selectDayTotals, selectMismatches } from './mismatch-queries.ts'

/** What takes longer than this to settle is shown to operators. */
const patienceMs = 10 * 60_000
/** How long somebody has to look at money that is for no order of ours. */
const foreignMs = 14 * dayMs

/** A day's money by our books, in UTC, and what does not match at this moment. */
export async function loadReconciliation(
  { db, clock, gateways }: Pick<BillingContext, 'db' | 'clock' | 'gateways'>,
  asked: string | undefined,
): Promise<Reconciliation> {
  const now = clock.now()
  const day = asked ?? dayName(now)
  const from = new Date(`${day}T00:00:00Z`)
  const to = new Date(from.getTime() + dayMs)
  const [totals, mismatches, reconciled] = await Promise.all([
    Number.isNaN(from.getTime()) ? [] : selectDayTotals(db, from, to),
    selectMismatches(db, {
      openBefore: new Date(now.getTime() - patienceMs),
      foreignAfter: new Date(now.getTime() - foreignMs),
    }),
    Promise.all(
      gateways.map(async ({ id }) => ({
        id,
        reconciled_to: (await selectReconciledTo(db, id))?.toISOString() ?? null,
      })),
    ),
  ])
  return {
    day,
    gateways: reconciled,
    totals,
    mismatches: mismatches.map((row) => ({ ...row, since: row.since.toISOString() })),
  }
}
