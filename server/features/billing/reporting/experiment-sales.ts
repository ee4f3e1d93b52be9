import { dayMs, type Clock } from '#server/platform/clock.ts'
import type { VariantSales } from '#server/features/billing/tables.ts'
import type { Db } from '#server/tables.ts'
import {
  countSales,
  selectCountedSales,
  selectToCount,
  upsertCountedSales,
} from './experiment-sales-queries.ts'

/** To add up as many viewers' orders takes a tenth of a second; beyond that, what was counted last is shown. */
const fewViewers = 10_000

/** What the variants of an experiment brought, and when that was counted. */
export interface ExperimentSales {
  variants: readonly VariantSales[]
  countedAt: Date
}

/** An experiment's sales until its end: as of now where few have met what differs, else as `countExperiments` counted them last. */
export async function loadExperimentSales(
  db: Db,
  { id, stopped_at }: { id: string; stopped_at: Date | null },
  now: Date,
): Promise<ExperimentSales> {
  const counted = await selectCountedSales(db, id)
  if (counted && viewersOf(counted.variants) > fewViewers)
    return { variants: counted.variants, countedAt: counted.counted_at }
  return { variants: await countSales(db, id, stopped_at ?? now), countedAt: now }
}

/** Counts what runs; of what has stopped each day once more, since money may still go back. */
export async function countExperiments(
  { db, clock }: { db: Db; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  // Taken before the list: one that is stopped meanwhile is stopped after this, so it is counted anew the next time.
  const now = clock.now()
  for (const { id, stopped_at } of await selectToCount(db, new Date(now.getTime() - dayMs))) {
    if (signal.aborted) return
    await upsertCountedSales(db, id, await countSales(db, id, stopped_at ?? now), now)
  }
}

const viewersOf = (variants: readonly VariantSales[]) =>
  variants.reduce((sum, { exposed }) => sum + exposed, 0)
