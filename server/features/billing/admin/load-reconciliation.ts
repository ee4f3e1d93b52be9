import type { GatewayId } from '#contract/billing.ts'
import type { DayTotal, Reconciliation } from '#contract/studio/orders.ts'
import { dayMs } from '#server/platform/clock.ts'
import { formatUtcDay } from '#server/platform/utc-days.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectComparison } from '#server/features/billing/reconciliation/reconciliation-queries.ts'
import {
  selectDayTotals,
  selectDifferences,
  selectDiscrepancies,
  type DayTotalRow,
} from '#server/features/billing/reconciliation/discrepancy-queries.ts'

/** Payments that take longer than this to settle are shown to operators. */
const overdueAfterMs = 10 * 60_000
/**
 * Payments without an order of this site are listed for this long after they were found. If an earlier day is
 * requested, the list begins with that day.
 */
const unmatchedPaymentsShownMs = 14 * dayMs

/** Loads the totals of a UTC day in the ledger and at the gateways, and the discrepancies that are currently open. */
export async function loadReconciliation(
  { db, clock, gateways }: Pick<BillingContext, 'db' | 'clock' | 'gateways'>,
  requestedDay: string | undefined,
): Promise<Reconciliation> {
  const now = clock.now()
  const day = requestedDay ?? formatUtcDay(now)
  const from = new Date(`${day}T00:00:00Z`)
  const to = new Date(from.getTime() + dayMs)
  const isValidDay = !Number.isNaN(from.getTime())
  const [rows, differences, discrepancies, comparisons] = await Promise.all([
    isValidDay ? selectDayTotals(db, from, to) : [],
    isValidDay ? selectDifferences(db, from, to) : [],
    selectDiscrepancies(db, {
      openBefore: new Date(now.getTime() - overdueAfterMs),
      unmatchedAfter: new Date(
        Math.min(now.getTime() - unmatchedPaymentsShownMs, isValidDay ? from.getTime() - 1 : Infinity),
      ),
    }),
    Promise.all(gateways.map(async ({ id }) => ({ id, ...(await selectComparison(db, id)) }))),
  ])
  return {
    day,
    gateways: comparisons.map(({ id, reconciled_until }) => ({
      id,
      reconciled_until: reconciled_until?.toISOString() ?? null,
    })),
    totals: rows.map(({ last_entered_at: _at, ...total }) => total),
    balances: comparisons.flatMap(({ id, last_run_at }) => {
      const ledgerTotals = rows.filter(({ gateway }) => gateway === id)
      return gatewayBalances(id, {
        ledgerTotals,
        differences: differences.filter(({ gateway }) => gateway === id),
        isCompared: isCompared(last_run_at ?? undefined, from, ledgerTotals),
      })
    }),
    discrepancies: discrepancies.map((row) => ({ ...row, since: row.since.toISOString() })),
  }
}

/**
 * Returns whether a gateway's total of the day is known. That requires a reconciliation after the day's last ledger
 * entry.
 */
function isCompared(lastRunAt: Date | undefined, from: Date, totals: readonly DayTotalRow[]): boolean {
  return (
    lastRunAt !== undefined &&
    lastRunAt > from &&
    totals.every(({ last_entered_at }) => lastRunAt >= last_entered_at)
  )
}

interface CurrencyAmount {
  currency: string
  cents: number
}

/** Returns a gateway's totals of one day, one per currency that has ledger entries or differences on that day. */
function gatewayBalances(
  gateway: GatewayId,
  {
    ledgerTotals,
    differences,
    isCompared,
  }: { ledgerTotals: readonly DayTotal[]; differences: readonly CurrencyAmount[]; isCompared: boolean },
): Reconciliation['balances'] {
  const ledgerAmounts = ledgerTotals.map(({ currency, amount_cents: cents }): CurrencyAmount => ({
    currency,
    cents,
  }))
  const currencies = new Set([...ledgerAmounts, ...differences].map(({ currency }) => currency))
  return [...currencies].toSorted().map((currency) => {
    const sum = (parts: readonly CurrencyAmount[]) =>
      parts.filter((part) => part.currency === currency).reduce((total, { cents }) => total + cents, 0)
    const ledger_cents = sum(ledgerAmounts)
    return {
      gateway,
      currency,
      ledger_cents,
      gateway_cents: isCompared ? ledger_cents + sum(differences) : null,
    }
  })
}
