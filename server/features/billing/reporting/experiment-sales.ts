import { dayMs, type Clock } from '#server/platform/clock.ts'
import type { VariantSales } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'
import { countSales, sumVariants } from './count-sales.ts'
import {
  hasMoreViewers,
  selectCountedSales,
  selectExperimentsToCount,
  sumSales,
  upsertCountedSales,
} from './experiment-sales-queries.ts'

/**
 * The sales of an experiment with at most this many viewers are counted on request. This takes about a tenth of a
 * second. For more viewers, the last count is shown.
 */
const liveCountLimit = 10_000

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

/**
 * Counts the sales of running experiments at each run, and of stopped ones once a day, because refunds may still change
 * them.
 */
export async function aggregateExperimentSales(
  { db, clock }: { db: Db; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  // The time is read before the list. If an experiment is stopped after this time, the next run counts it again.
  const now = clock.now()
  for (const { id, stopped_at } of await selectExperimentsToCount(db, new Date(now.getTime() - dayMs))) {
    const variants = await countSales(db, { id, until: stopped_at ?? now }, signal)
    if (!variants) return
    await upsertCountedSales(db, id, variants, now)
  }
}
