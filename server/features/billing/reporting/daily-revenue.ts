import { dayMs, hourMs, type Clock } from '#server/platform/clock.ts'
import { hasUnaggregatedLines } from './sale-queries.ts'
import { formatUtcDay, daySpanUntil, type DaySpan } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'
import type { LedgerSums } from '#server/features/billing/ledger/ledger-sum-queries.ts'
import {
  countFailedRenewals,
  countActiveSubscriptions,
  countSubscriptions,
  insertAggregatedDay,
  selectBackdatedRevenue,
  selectFirstUnaggregatedDay,
  selectRevenue,
  selectAggregatedDays,
  type RevenueRow,
  type AggregatedDay,
} from './daily-revenue-queries.ts'

/** The money received and refunded on a UTC day, exactly as in the ledger, and the changes in subscriptions. */
export interface RevenueDay extends AggregatedDay {
  failed_renewals: number
}

/**
 * The delay from the end of a day until its aggregation. A transaction sets the time of its ledger lines before it
 * commits, so lines of the day may appear after the day's end. No transaction takes longer than this delay.
 */
const completeAfterMs = hourMs

/**
 * Loads the revenue of `count` UTC days, including days without events. The last day contains `until`. Also returns the
 * current number of subscribers.
 */
export async function loadDailyRevenue(
  db: Db,
  until: Date,
  count: number,
): Promise<{ days: RevenueDay[]; subscribers: number }> {
  const span = daySpanUntil(until, count)
  const [summed, backdated, failed, subscribers] = await Promise.all([
    loadDays(db, span),
    selectBackdatedRevenue(db, span),
    // The failure of an attempt may become known days after its start, so failed renewals are never aggregated.
    countFailedRenewals(db, span),
    countActiveSubscriptions(db),
  ])
  const backdatedByDay = Map.groupBy(backdated, ({ day }) => day)
  const days = summed.map((day) => ({
    ...day,
    revenue: sumByCurrency([...day.revenue, ...withoutDay(backdatedByDay.get(day.day) ?? [])]),
    failed_renewals: failed.get(day.day) ?? 0,
  }))
  return { days, subscribers }
}

const withoutDay = (rows: readonly RevenueRow[]): LedgerSums[] => rows.map(({ day: _day, ...sums }) => sums)

/** Adds up sums by currency. */
export function sumByCurrency(all: readonly LedgerSums[]): LedgerSums[] {
  const byCurrency = Map.groupBy(all, ({ currency }) => currency)
  return [...byCurrency].map(([currency, sums]) => {
    const total = (field: Exclude<keyof LedgerSums, 'currency'>) =>
      sums.reduce((sum, each) => sum + each[field], 0)
    return {
      currency,
      gross_cents: total('gross_cents'),
      refunded_cents: total('refunded_cents'),
      disputed_cents: total('disputed_cents'),
      disputes_won_cents: total('disputes_won_cents'),
      disputes_lost_cents: total('disputes_lost_cents'),
    }
  })
}

/** Aggregates each past day once and stores the result, so that requests do not have to sum up the ledger. */
export async function aggregateDailyRevenue({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const first = await selectFirstUnaggregatedDay(db)
  const end = clock.now().getTime() - completeAfterMs - dayMs
  for (let from = first?.getTime() ?? Infinity; from <= end; from += dayMs)
    for (const day of await aggregateSpan(db, { from: new Date(from), to: new Date(from + dayMs) }))
      await insertAggregatedDay(db, day)
}

/** The sums of a day from the ledger and from the aggregate, for comparison. */
export interface LedgerDay {
  /** The sums of the lines that were entered on the day, and of the lines that are backdated to it. */
  entered: LedgerSums[]
  backdated: LedgerSums[]
  /** The aggregated sums of the lines that were entered on the day, or undefined if the day is not aggregated yet. */
  summed: LedgerSums[] | undefined
  /** True once `takeUnaggregatedSales` has taken all lines of the day. */
  isCounted: boolean
}

export async function loadLedgerDay(db: Db, span: DaySpan): Promise<LedgerDay> {
  const [summed] = await selectAggregatedDays(db, span)
  return {
    entered: withoutDay(await selectRevenue(db, span)),
    backdated: withoutDay(await selectBackdatedRevenue(db, span)),
    summed: summed?.revenue,
    isCounted: !(await hasUnaggregatedLines(db, span)),
  }
}

/**
 * Loads the aggregated days, and computes the sums of the days after the last aggregated one (usually only today).
 * Other days without an aggregate are empty.
 */
async function loadDays(db: Db, { from, to }: DaySpan): Promise<AggregatedDay[]> {
  const summed = await selectAggregatedDays(db, { from, to })
  const last = summed.at(-1)
  const restFrom = last ? new Date(Date.parse(last.day) + dayMs) : from
  const rest = restFrom < to ? await aggregateSpan(db, { from: restFrom, to }) : []
  const known = new Map([...summed, ...rest].map((day) => [day.day, day]))
  return daysOf({ from, to }).map((day) => known.get(day) ?? { day, revenue: [], began: 0, ended: 0 })
}

async function aggregateSpan(db: Db, span: DaySpan): Promise<AggregatedDay[]> {
  const [revenue, began, ended] = await Promise.all([
    selectRevenue(db, span),
    countSubscriptions(db, 'started_at', span),
    countSubscriptions(db, 'ended_at', span),
  ])
  const byDay = Map.groupBy(revenue, ({ day }) => day)
  return daysOf(span).map((day) => ({
    day,
    revenue: withoutDay(byDay.get(day) ?? []),
    began: began.get(day) ?? 0,
    ended: ended.get(day) ?? 0,
  }))
}

function daysOf({ from, to }: DaySpan): string[] {
  const count = (to.getTime() - from.getTime()) / dayMs
  return Array.from({ length: count }, (_, index) => formatUtcDay(new Date(from.getTime() + index * dayMs)))
}
