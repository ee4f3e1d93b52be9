import { dayMs, type Clock } from '#server/platform/clock.ts'
import type { VariantSales } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'
import {
  countSales,
  selectCountedSales,
  selectExperimentsToCount,
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
 * last count.
 */
export async function loadExperimentSales(
  db: Db,
  { id, stopped_at }: { id: string; stopped_at: Date | null },
  now: Date,
): Promise<ExperimentSales> {
  const counted = await selectCountedSales(db, id)
  if (counted && viewersOf(counted.variants) > liveCountLimit)
    return { variants: counted.variants, countedAt: counted.counted_at }
  return { variants: await countSales(db, id, stopped_at ?? now), countedAt: now }
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
    if (signal.aborted) return
    await upsertCountedSales(db, id, await countSales(db, id, stopped_at ?? now), now)
  }
}

const viewersOf = (variants: readonly VariantSales[]) =>
  variants.reduce((sum, { exposed }) => sum + exposed, 0)
