import { dayMs, type Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import {
  countSales,
  selectCountedSales,
  selectToCount,
  upsertCountedSales,
  type ArmSales,
} from './experiment-sales-queries.ts'

/** To add up as many viewers' orders takes a tenth of a second; beyond that, what was counted last is shown. */
const fewViewers = 10_000

/** What the arms of an experiment brought, and when that was counted. */
export interface ExperimentSales {
  arms: ReadonlyMap<number, ArmSales>
  countedAt: Date
}

/** An experiment's sales until its end: as of now where few have met what differs, else as `countExperiments` counted them last. */
export async function loadExperimentSales(
  db: Db,
  { id, stopped_at }: { id: string; stopped_at: Date | null },
  now: Date,
): Promise<ExperimentSales> {
  const counted = await selectCountedSales(db, id)
  if (counted && viewersOf(counted.arms) > fewViewers)
    return { arms: byNumber(counted.arms), countedAt: counted.counted_at }
  return { arms: byNumber(await countSales(db, id, stopped_at ?? now)), countedAt: now }
}

/** Counts what runs; of what has stopped each day once more, since money may still go back. */
export async function countExperiments(
  { db, clock }: { db: Db; clock: Clock },
  signal: AbortSignal,
): Promise<void> {
  const due = await selectToCount(db, new Date(clock.now().getTime() - dayMs))
  for (const { id, stopped_at } of due) {
    if (signal.aborted) return
    const now = clock.now()
    await upsertCountedSales(db, id, await countSales(db, id, stopped_at ?? now), now)
  }
}

const viewersOf = (arms: readonly ArmSales[]) => arms.reduce((sum, { exposed }) => sum + exposed, 0)
const byNumber = (arms: readonly ArmSales[]) => new Map(arms.map((each) => [each.arm, each]))
