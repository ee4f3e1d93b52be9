import { createHash } from 'node:crypto'
import type { Variant, ExperimentKind } from '#contract/studio/experiments.ts'

/** A running experiment, with the data that assigns viewers to its variants. */
export interface RunningExperiment {
  id: string
  kind: ExperimentKind
  target: string | null
  currency: string | null
  variants: readonly Variant[]
}

/**
 * Assigns a viewer to a variant, by a hash of the experiment's id and the viewer's id. The result is always the same,
 * in every process. The assignments of different experiments are independent.
 * @returns the index of the variant
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

/** Returns the running experiment of a kind on a target (the id of a video, or null for the whole site). */
export const findRunning = (running: Running, kind: RunningExperiment['kind'], target: string | null) =>
  running.find((each) => each.kind === kind && each.target === target)
