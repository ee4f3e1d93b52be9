import type { Episode } from '#contract/media.ts'
import {
  freeEpisodesFor,
  pricesFor,
  type Experiments,
  type FreeEpisodes,
  type RunningExperiment,
  type VariantPrices,
} from '#server/features/experiments/experiments.ts'
import {
  loadVideoEntitlements,
  noEntitlements,
  type VideoEntitlements,
} from '#server/features/library/library.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import type { EpisodeRow } from './queries.ts'

/**
 * Dependencies of access checks. A viewer may watch an episode that is free in the viewer's experiment variant or
 * covered by an entitlement.
 */
export interface AccessContext {
  db: Db
  clock: Clock
  experiments: Experiments
}

/** A viewer's access to one video: entitlements, free episodes and prices. */
export interface Access {
  viewer: Viewer | null
  entitlements: VideoEntitlements
  free: FreeEpisodes
  /** Prices in the viewer's experiment variants that differ from the usual prices. */
  prices: VariantPrices
}

/** Returns the state of an episode for one viewer. */
export function episodeState(row: EpisodeRow, { entitlements, free }: Access): Episode['state'] {
  if (row.number <= free.count) return 'free'
  return entitlements.covers(row.id) ? 'unlocked' : 'locked'
}

export async function loadAccess(
  context: AccessContext,
  viewer: Viewer | null,
  video: { id: string; free_episodes: number },
): Promise<Access> {
  const [entitlements, running] = await Promise.all([
    loadViewerEntitlements(context, viewer, video.id),
    context.experiments.running(),
  ])
  return buildAccess(running, viewer, video, entitlements)
}

export function buildAccess(
  running: readonly RunningExperiment[],
  viewer: Viewer | null,
  video: { id: string; free_episodes: number },
  entitlements: VideoEntitlements,
): Access {
  const userId = viewer?.userId
  const free = freeEpisodesFor(running, userId, video)
  return { viewer, entitlements, free, prices: pricesFor(running, userId, video.id) }
}

export const videoOf = ({ video_id: id, free_episodes }: EpisodeRow) => ({ id, free_episodes })

export function loadViewerEntitlements(
  { db, clock }: AccessContext,
  viewer: Viewer | null,
  videoId: string,
): Promise<VideoEntitlements> {
  return viewer?.isStored
    ? loadVideoEntitlements(db, viewer.userId, videoId, clock.now())
    : Promise.resolve(noEntitlements)
}

/**
 * Records an experiment exposure if a viewer without an entitlement requests an episode that at least one variant
 * locks.
 */
export async function recordExposure(
  { experiments }: AccessContext,
  row: EpisodeRow,
  access: Access,
): Promise<void> {
  const { viewer, entitlements, free } = access
  if (!viewer || !free.experiment || row.number <= free.minCount || entitlements.covers(row.id)) return
  await experiments.recordExposures(viewer, [free.experiment])
}
