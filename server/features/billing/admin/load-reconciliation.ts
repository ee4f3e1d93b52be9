import type { GatewayId } from '#contract/billing.ts'
import type { DayTotal, Reconciliation } from '#contract/studio/orders.ts'
import { dayMs } from '#server/platform/clock.ts'
import { dayName } from '#server/platform/utc-days.ts'
import type { BillingContext } from '#server/features/billing/billing-context.ts'
import { selectComparison } from '#server/features/billing/reconciliation/reconciliation-queries.ts'
import {
  selectDayTotals,
  selectDifferences,
  selectLastEntered,
  selectDiscrepancies,
} from '#server/features/billing/reconciliation/discrepancy-queries.ts'

/** Payments that take longer than this to settle are shown to operators. */
const patienceMs = 10 * 60_000
/** Time for which money that belongs to no order here is shown; longer on the page of an older day. */
const foreignMs = 14 * dayMs

/** Loads a day's money (UTC) by the ledger and by the gateways' reports, with the discrepancies at this moment. */
export async function loadReconciliation(
  { db, clock, gateways }: Pick<BillingContext, 'db' | 'clock' | 'gateways'>,
  asked: string | undefined,
): Promise<Reconciliation> {
  const now = clock.now()
  const day = asked ?? dayName(now)
  const from = new Date(`${day}T00:00:00Z`)
  const to = new Date(from.getTime() + dayMs)
  const isDay = !Number.isNaN(from.getTime())
  const [totals, lastEntered, differences, mismatches, compared] = await Promise.all([
    isDay ? selectDayTotals(db, from, to) : [],
    isDay ? selectLastEntered(db, from, to) : new Map<string, Date>(),
    isDay ? selectDifferences(db, from, to) : [],
    selectDiscrepancies(db, {
      openBefore: new Date(now.getTime() - patienceMs),
      foreignAfter: new Date(Math.min(now.getTime() - foreignMs, isDay ? from.getTime() - 1 : Infinity)),
    }),
    Promise.all(gateways.map(async ({ id }) => ({ id, ...(await selectComparison(db, id)) }))),
  ])
  return {
    day,
    gateways: compared.map(({ id, reconciled_to }) => ({
      id,
      reconciled_to: reconciled_to?.toISOString() ?? null,
    })),
    totals,
    balances: compared.flatMap(({ id, compared_at }) =>
      balancesOf(id, {
        ours: totals.filter(({ gateway }) => gateway === id),
        differences: differences.filter(({ gateway }) => gateway === id),
        isCompared: isCompared(compared_at ?? undefined, { from, lastEntered: lastEntered.get(id) }),
      }),
    ),
    mismatches: mismatches.map((row) => ({ ...row, since: row.since.toISOString() })),
  }
}

/** The gateway's figure is known only if a reconciliation has covered all entries of the day. */
function isCompared(
  comparedAt: Date | undefined,
  { from, lastEntered }: { from: Date; lastEntered: Date | undefined },
): boolean {
  return (
    comparedAt !== undefined && comparedAt > from && (lastEntered === undefined || comparedAt >= lastEntered)
  )
}

interface Cents {
  currency: string
  cents: number
}

/** Returns one line per currency in which money moved or should have. */
function balancesOf(
  gateway: GatewayId,
  {
    ours,
    differences,
    isCompared,
  }: { ours: readonly DayTotal[]; differences: readonly Cents[]; isCompared: boolean },
): Reconciliation['balances'] {
  const booked = ours.map(({ currency, amount_cents: cents }): Cents => ({ currency, cents }))
  const currencies = new Set([...booked, ...differences].map(({ currency }) => currency))
  return [...currencies].toSorted().map((currency) => {
    const sum = (parts: readonly Cents[]) =>
      parts.filter((part) => part.currency === currency).reduce((total, { cents }) => total + cents, 0)
    const ours_cents = sum(booked)
    return { gateway, currency, ours_cents, theirs_cents: isCompared ? ours_cents + sum(differences) : null }
  })
}
