import { loadLedgerDay, selectDeferredRevenue, type LedgerSums } from '#server/features/billing/billing.ts'
import { hasUncountedSteps, countStepEvents } from '#server/features/tracking/tracking.ts'
import { dayMs, hourMs, type Clock } from '#server/platform/clock.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import { formatUtcDay, daySpanUntil } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'
import {
  saveDifferingDays,
  selectCountsOfDay,
  selectDifferingDays,
  selectFirstRevenueAt,
  selectMoneyOfDay,
} from './verify-queries.ts'

export interface VerifyContext {
  db: Db
  clock: Clock
  tracking: Pick<TrackingConfig, 'eventRetentionDays'>
}

const kinds = ['token', 'click', 'video'] as const
/** Time in milliseconds after a day's end until its sums are complete. */
const dayCompleteAfterMs = hourMs
/**
 * `maxRechecked`: number of days with differences that a run compares again. It is small, because each comparison reads
 * all events of a day. `maxRemembered`: number of days with differences that are stored.
 */
const maxRechecked = 3
const maxRemembered = 100

/**
 * Compares the aggregated sums of a random past day with the ledger lines and events. Days that had differences before
 * are compared again, so that a difference is reported until it is resolved. Every run also compares the customers'
 * balances with the ledger's deferred revenue.
 * @throws Error with the days and the differences; the studio's system page shows its message as the job's state
 */
export async function verifyAggregates(context: VerifyContext): Promise<void> {
  const { db } = context
  const differingBefore = await selectDifferingDays(db)
  const recheckedDays = differingBefore.slice(0, maxRechecked)
  const days = new Set([...recheckedDays, await chooseRandomDay(context)])
  const differingDays: { day: string; differences: string[] }[] = []
  for (const day of days) {
    const differences = await verifyDay(context, day)
    if (differences.length > 0) differingDays.push({ day, differences })
  }
  await saveDifferingDays(
    db,
    [...new Set([...differingBefore.slice(maxRechecked), ...differingDays.map(({ day }) => day)])].slice(
      0,
      maxRemembered,
    ),
  )
  const messages = differingDays.map(({ day, differences }) => `${day} (${differences.join(', ')})`)
  messages.push(...(await verifyBalances(db)))
  if (messages.length > 0) throw new Error(`Sums differ from their sources: ${messages.join('; ')}`)
}

/**
 * Returns the differences between the customers' unspent paid balances and the ledger's deferred revenue, by currency.
 */
export async function verifyBalances(db: Db): Promise<string[]> {
  const sums = await selectDeferredRevenue(db)
  return sums.flatMap(({ currency, unspent_cents, owed_cents }) =>
    unspent_cents === owed_cents
      ? []
      : [`balances: ${unspent_cents} ${currency} instead of ${owed_cents} of deferred revenue`],
  )
}

/** Chooses a random past day since the first revenue or the oldest events, whichever is earlier. */
async function chooseRandomDay({ db, clock, tracking }: VerifyContext): Promise<string> {
  const last = clock.now().getTime() - dayCompleteAfterMs - dayMs
  const firstMoney = (await selectFirstRevenueAt(db))?.getTime() ?? last
  const first = Math.min(firstMoney, last - (tracking.eventRetentionDays - 1) * dayMs)
  return formatUtcDay(new Date(first + Math.random() * (last - first)))
}

/** Returns the differences of a day, read from one snapshot. Sums are not compared while they are incomplete. */
export async function verifyDay(context: VerifyContext, day: string): Promise<string[]> {
  const { db } = context
  const compare = async (tx: Db) => [
    ...(await verifyRevenue(tx, day)),
    ...(await verifySteps(tx, context, day)),
  ]
  return db.transaction().setIsolationLevel('repeatable read').execute(compare)
}

async function verifyRevenue(db: Db, day: string): Promise<string[]> {
  const { entered, backdated, summed, isCounted } = await loadLedgerDay(db, daySpanUntil(new Date(day), 1))
  const differences = summed ? describeDifferences('daily revenue', entered, summed) : []
  if (!isCounted) return differences
  for (const kind of kinds)
    differences.push(
      ...describeDifferences(
        `funnel by ${kind}`,
        [...entered, ...backdated],
        await selectMoneyOfDay(db, kind, day),
      ),
    )
  return differences
}

const fields = [
  'gross_cents',
  'refunded_cents',
  'disputed_cents',
  'disputes_won_cents',
  'disputes_lost_cents',
] as const

function describeDifferences(
  label: string,
  ledger: readonly LedgerSums[],
  sums: readonly LedgerSums[],
): string[] {
  const currencies = new Set([...ledger, ...sums].map(({ currency }) => currency))
  const total = (rows: readonly LedgerSums[], currency: string, field: (typeof fields)[number]) =>
    rows.reduce((sum, row) => (row.currency === currency ? sum + row[field] : sum), 0)
  return [...currencies].flatMap((currency) =>
    fields.flatMap((field) => {
      const [expected, actual] = [total(ledger, currency, field), total(sums, currency, field)]
      return expected === actual ? [] : [`${label}: ${field} ${actual} ${currency} instead of ${expected}`]
    }),
  )
}

/**
 * Compares the funnel's steps with the events. Sums must not be lower than the events. They may be higher, because a
 * user's oldest events are deleted beyond MAX_EVENT_KB_PER_USER. Days older than EVENTS_DAYS are skipped, because their
 * events are deleted.
 */
async function verifySteps(db: Db, { clock, tracking }: VerifyContext, day: string): Promise<string[]> {
  const span = daySpanUntil(new Date(day), 1)
  if (span.from.getTime() < clock.now().getTime() - tracking.eventRetentionDays * dayMs) return []
  if (await hasUncountedSteps(db, day)) return []
  const events = await countStepEvents(db, span)
  const differences: string[] = []
  for (const kind of ['token', 'click'] as const) {
    const sums = await selectCountsOfDay(db, kind, day)
    for (const step of ['visits', 'paywalls'] as const)
      if (sums[step] < events[step])
        differences.push(`funnel by ${kind}: ${sums[step]} ${step} of ${events[step]} events`)
  }
  return differences
}
