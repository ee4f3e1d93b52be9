import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { ChangeFeed } from '#server/platform/database/catalogue-changes.ts'
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

/** Provides the running experiments and records which viewers were exposed to them. */
export interface Experiments {
  /**
   * Returns the running experiments from a cache. They are read again when the database announces a change. While the
   * connection for these announcements is known to be lost, the experiments are read each second. A lost connection is
   * noticed after at most 25 seconds. While the database is unavailable, the experiments may be older.
   */
  running(): Promise<readonly RunningExperiment[]>
  /**
   * Records that a viewer was exposed to these experiments. Only the first exposure to each experiment counts. The
   * exposures of guests without a row are limited per network. Nothing is recorded for a guest who was registered,
   * merged or deleted meanwhile.
   */
  recordExposures(
    viewer: Pick<Viewer, 'userId' | 'isStored' | 'ip'>,
    experiments: readonly RunningExperiment[],
  ): Promise<void>
}

interface Options {
  db: Db
  clock: Clock
  catalogueChanges: ChangeFeed
  quotas: Pick<NetworkQuotas, 'spend'>
}

export function createExperiments({ db, clock, catalogueChanges: changes, quotas }: Options): Experiments {
  // Reads from `db`, the primary, because a change may be announced before a replica has it.
  // Changes of experiments are announced without a video.
  const keep = { changes, mayKeep: () => true, videoIdOf: () => '' }
  const cache = createResponseCache<readonly RunningExperiment[]>(clock, { stale: true, keep })
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

/** Reads the running experiments without the cache, because a price that is charged must not be outdated. */
export function loadRunningUncached(db: Db): Promise<readonly RunningExperiment[]> {
  return selectRunning(db)
}

/** Moves a guest's exposures to a member. From then on, the member's id determines the variant. */
export async function mergeExposures(tx: Tx, guestId: string, memberId: string): Promise<void> {
  if (guestId !== memberId) await moveExposures(tx, guestId, memberId)
}

export async function eraseExposures(tx: Tx, userId: string): Promise<void> {
  await deleteExposures(tx, userId)
}

export async function exportExposures(db: Db, userId: string): Promise<Record<string, unknown>> {
  return { experiments: await selectExposuresOf(db, userId) }
}
