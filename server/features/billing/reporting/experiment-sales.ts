import { dayMs, type Clock } from '#server/platform/clock.ts'
import type { VariantSales } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'
import { countSales, sumVariants } from './count-sales.ts'
import {
  hasMoreViewers,
  selectCountedSales,
  selectStartedExperiments,
  sumSales,
  upsertCountedSales,
} from './experiment-sales-queries.ts'

/**
 * The sales of an experiment with at most this many viewers are counted on request. This takes about a tenth of a
 * second. For more viewers, the last count is shown.
 */
const liveCountLimit = 10_000

/** The time for which a stopped experiment is counted again, because of refunds and disputes. */
const recountPeriodMs = 180 * dayMs
/**
 * The pause between two counts of a running experiment, for each of its viewers. A count takes about a hundredth of a
 * millisecond per viewer, so the counts of an experiment take at most a twentieth of the time.
 */
const pauseMsPerViewer = 0.2

/** The sales of an experiment's variants, and when they were counted. */
export interface ExperimentSales {
  variants: readonly VariantSales[]
  countedAt: Date
}

/**
 * Loads an experiment's sales until its end. Counts them immediately if few viewers were exposed. Otherwise returns the
 * last count, or undefined if there is none yet.
 */
export async function loadExperimentSales(
  db: Db,
  { id, stopped_at }: { id: string; stopped_at: Date | null },
  now: Date,
): Promise<ExperimentSales | undefined> {
  if (!(await hasMoreViewers(db, id, liveCountLimit)))
    return { variants: sumVariants(await sumSales(db, id, stopped_at ?? now)), countedAt: now }
  const counted = await selectCountedSales(db, id)
  return counted && { variants: counted.variants, countedAt: counted.counted_at }
}

type StartedExperiment = Awaited<ReturnType<typeof selectStartedExperiments>>[number]

/** Counts the sales of the experiments whose count is due. */
export async function aggregateExperimentSales(
  { db, clock }: { db: Db; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  // The time is read before the list. If an experiment is stopped after this time, the next run counts it again.
  const now = clock.now()
  for (const experiment of await selectStartedExperiments(db)) {
    if (!isCountDue(experiment, now)) continue
    const { id, stopped_at } = experiment
    const variants = await countSales(db, { id, until: stopped_at ?? now }, signal)
    if (!variants) return
    await upsertCountedSales(db, id, variants, now)
  }
}

/**
 * Returns whether an experiment's sales must be counted. A running experiment is counted at each run, but a large one
 * less often. A stopped experiment is counted once a day, because refunds may still change its sales, and no more after
 * `recountPeriodMs`.
 */
function isCountDue({ stopped_at, counted_at, variants }: StartedExperiment, now: Date): boolean {
  if (counted_at === null) return true
  const ageMs = now.getTime() - counted_at.getTime()
  if (stopped_at === null) {
    const viewers = (variants ?? []).reduce((sum, { exposed }) => sum + exposed, 0)
    return ageMs >= viewers * pauseMsPerViewer
  }
  if (counted_at < stopped_at) return true
  return ageMs > dayMs && now.getTime() - stopped_at.getTime() < recountPeriodMs
}
