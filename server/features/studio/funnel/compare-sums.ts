import { loadLedgerDay, selectDeferredRevenue, type LedgerSums } from '#server/features/billing/billing.ts'
import { anyStepsOf, countStepEvents } from '#server/features/tracking/tracking.ts'
import { dayMs, hourMs, type Clock } from '#server/platform/clock.ts'
import type { TrackingConfig } from '#server/platform/config/read-tracking.ts'
import { dayName, spanUntil } from '#server/platform/utc-days.ts'
import type { Db } from '#server/tables.ts'
import {
  putDifferingDays,
  selectCountsOfDay,
  selectDifferingDays,
  selectFirstMoney,
  selectMoneyOfDay,
} from './compare-queries.ts'

export interface CompareContext {
  db: Db
  clock: Clock
  tracking: Pick<TrackingConfig, 'eventsDays'>
}

const kinds = ['token', 'click', 'video'] as const
/** After this time a day is complete: later writes have later dates. */
const settledMs = hourMs
/** Maximum number of differing days that are compared again and remembered, since each comparison reads all events of a day. */
const mostAgain = 3
const mostKnown = 100

/**
 * Compares the studio's sums of a random past day with their ledger lines and events, and repeats days that differed before, so
 * that a difference is reported until it is resolved. Every run compares the remaining balances with the ledger's deferred revenue.
 * @throws Error naming the days and the differences, which the studio's system page shows as the job's state
 */
export async function compareSums(context: CompareContext): Promise<void> {
  const { db } = context
  const known = await selectDifferingDays(db)
  const again = known.slice(0, mostAgain)
  const days = new Set([...again, await chooseDay(context)])
  const found: { day: string; differences: string[] }[] = []
  for (const day of days) {
    const differences = await compareDay(context, day)
    if (differences.length > 0) found.push({ day, differences })
  }
  await putDifferingDays(
    db,
    [...new Set([...known.slice(mostAgain), ...found.map(({ day }) => day)])].slice(0, mostKnown),
  )
  const differing = found.map(({ day, differences }) => `${day} (${differences.join(', ')})`)
  differing.push(...(await compareBalances(db)))
  if (differing.length > 0) throw new Error(`Sums differ from their sources: ${differing.join('; ')}`)
}

/** Returns the differences between balances and the ledger, whose liability is what was paid and not spent. */
export async function compareBalances(db: Db): Promise<string[]> {
  const sums = await selectDeferredRevenue(db)
  return sums.flatMap(({ currency, unspent_cents, owed_cents }) =>
    unspent_cents === owed_cents
      ? []
      : [`balances: ${unspent_cents} ${currency} instead of ${owed_cents} of deferred revenue`],
  )
}

/** Chooses a past day with money or events. */
async function chooseDay({ db, clock, tracking }: CompareContext): Promise<string> {
  const last = clock.now().getTime() - settledMs - dayMs
  const firstMoney = (await selectFirstMoney(db))?.getTime() ?? last
  const first = Math.min(firstMoney, last - (tracking.eventsDays - 1) * dayMs)
  return dayName(new Date(first + Math.random() * (last - first)))
}

/** Returns the differences of a day, from one snapshot. Incomplete sums are not compared. */
export async function compareDay(context: CompareContext, day: string): Promise<string[]> {
  const { db } = context
  const compare = async (tx: Db) => [
    ...(await compareMoney(tx, day)),
    ...(await compareSteps(tx, context, day)),
  ]
  return db.transaction().setIsolationLevel('repeatable read').execute(compare)
}

async function compareMoney(db: Db, day: string): Promise<string[]> {
  const { entered, datedBack, summed, isCounted } = await loadLedgerDay(db, spanUntil(new Date(day), 1))
  const differences = summed ? differencesOf('daily revenue', entered, summed) : []
  if (!isCounted) return differences
  for (const kind of kinds)
    differences.push(
      ...differencesOf(
        `funnel by ${kind}`,
        [...entered, ...datedBack],
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

function differencesOf(what: string, ledger: readonly LedgerSums[], sums: readonly LedgerSums[]): string[] {
  const currencies = new Set([...ledger, ...sums].map(({ currency }) => currency))
  const total = (rows: readonly LedgerSums[], currency: string, field: (typeof fields)[number]) =>
    rows.reduce((sum, row) => (row.currency === currency ? sum + row[field] : sum), 0)
  return [...currencies].flatMap((currency) =>
    fields.flatMap((field) => {
      const [right, is] = [total(ledger, currency, field), total(sums, currency, field)]
      return right === is ? [] : [`${what}: ${field} ${is} ${currency} instead of ${right}`]
    }),
  )
}

/**
 * Compares steps. Sums may exceed the events, since a user's oldest are deleted beyond EVENT_KB_PERSON, but are never lower. Events
 * older than EVENTS_DAYS are deleted.
 */
async function compareSteps(db: Db, { clock, tracking }: CompareContext, day: string): Promise<string[]> {
  const span = spanUntil(new Date(day), 1)
  if (span.from.getTime() < clock.now().getTime() - tracking.eventsDays * dayMs) return []
  if (await anyStepsOf(db, day)) return []
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
