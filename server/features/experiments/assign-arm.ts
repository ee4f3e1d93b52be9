import { createHash } from 'node:crypto'
import type { Arm, ExperimentKind } from '#contract/studio/experiments.ts'

/** What decides who meets what. */
export interface RunningExperiment {
  id: string
  kind: ExperimentKind
  target: string | null
  currency: string | null
  arms: readonly Arm[]
}

/**
 * The arm of a viewer: by their id alone, so that every process says the same, now and later, and no other experiment has
 * anything to do with it.
 */
export function armOf({ id, arms }: Pick<RunningExperiment, 'id' | 'arms'>, viewerId: string): number {
  const hash = createHash('sha256').update(`${id}|${viewerId}`).digest()
  const percent = (hash.readUInt32BE() / 2 ** 32) * 100
  let passed = 0
  return arms.findIndex(({ share }) => percent < (passed += share))
}
