import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { NetworkQuotas } from '#server/platform/network-quotas.ts'
import { variantOf, type RunningExperiment } from './assign-variant.ts'
import {
  deleteExposures,
  insertExposures,
  isFormerGuest,
  moveExposures,
  selectExposuresOf,
  selectRunning,
} from './queries.ts'

export type { RunningExperiment } from './assign-variant.ts'
export {
  changeDraft,
  draftExperiment,
  endExperiment,
  findExperiment,
  listAllExperiments,
  startDraft,
  type ExperimentRow,
} from './manage-experiments.ts'
export { freeEpisodesFor, type FreeEpisodes } from './free-episodes.ts'
export {
  experimentsInOffer,
  payThemeFor,
  pricesFor,
  variantCents,
  withVariantPrices,
  type VariantPrices,
} from './variant-prices.ts'

/** Finds the variants of viewers. */
export interface Experiments {
  /** Running experiments, at most a second old. */
  running(): Promise<readonly RunningExperiment[]>
  /**
   * Records that a viewer was exposed to these experiments; only the first exposure to each counts. A viewer without a row can be
   * exposed too, up to the quota of their network, unless the guest has registered since the token was issued.
   */
  recordExposures(
    viewer: Pick<Viewer, 'userId' | 'isStored' | 'ip'>,
    experiments: readonly RunningExperiment[],
  ): Promise<void>
}

interface Options {
  db: Db
  clock: Clock
  quotas: Pick<NetworkQuotas, 'spend'>
}

export function createExperiments({ db, clock, quotas }: Options): Experiments {
  const cache = createResponseCache<readonly RunningExperiment[]>(clock, { stale: true })
  return {
    running: () => cache.get('running', () => selectRunning(db)),
    async recordExposures({ userId: viewerId, isStored, ip }, experiments) {
      if (experiments.length === 0) return
      if (!isStored && ip !== undefined && quotas.spend('exposures', ip, experiments.length) > 0) return
      if (!isStored && (await isFormerGuest(db, viewerId))) return
      const at = clock.now()
      const rows = experiments.map((experiment) => ({
        viewer_id: viewerId,
        experiment_id: experiment.id,
        variant: variantOf(experiment, viewerId),
        at,
      }))
      await insertExposures(db, rows)
    },
  }
}

/** Reads the running experiments without the cache, for charges. */
export function loadRunningUncached(db: Db): Promise<readonly RunningExperiment[]> {
  return selectRunning(db)
}

/** Moves a guest's exposures to the member. From then on, the member's own id decides the variant. */
export async function mergeExposures(tx: Tx, guestId: string, memberId: string): Promise<void> {
  if (guestId !== memberId) await moveExposures(tx, guestId, memberId)
}

export async function eraseExposures(tx: Tx, userId: string): Promise<void> {
  await deleteExposures(tx, userId)
}

export async function exportExposures(db: Db, userId: string): Promise<Record<string, unknown>> {
  return { experiments: await selectExposuresOf(db, userId) }
}
