import { createHash } from 'node:crypto'
import type { Variant, ExperimentKind } from '#contract/studio/experiments.ts'

/** The data of a running experiment that is needed to assign viewers to its variants. */
export interface RunningExperiment {
  id: string
  kind: ExperimentKind
  target: string | null
  currency: string | null
  variants: readonly Variant[]
}

/**
 * Assigns a viewer to a variant by a hash of the experiment's id and the viewer's. Every process gives the same answer at any
 * time, and the experiments are independent of each other.
 */
export function variantOf(
  { id, variants }: Pick<RunningExperiment, 'id' | 'variants'>,
  viewerId: string,
): number {
  const hash = createHash('sha256').update(`${id}|${viewerId}`).digest()
  const percent = (hash.readUInt32BE() / 2 ** 32) * 100
  let cumulativeShare = 0
  return variants.findIndex(({ share }) => percent < (cumulativeShare += share))
}

export type Running = readonly RunningExperiment[]

/** Returns the running experiment of a kind on a target: a video's id, or null for the whole site. */
export const findRunning = (running: Running, kind: RunningExperiment['kind'], target: string | null) =>
  running.find((each) => each.kind === kind && each.target === target)
