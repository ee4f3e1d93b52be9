import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { isFavorite } from './favorite-queries.ts'
import { selectViewing, type StoredViewing } from './history/history-queries.ts'

export * from './entitlements.ts'
export {
  grantFreeEntitlement,
  listEntitlementsOfUser,
  listEntitlementsOfOrder,
  revokeEntitlement,
} from './admin-entitlements.ts'
export { eraseLibrary } from './personal-data/erase-library.ts'
export { exportLibrary } from './personal-data/export-library.ts'
export { loadEpisodeViewers } from './episode-view-queries.ts'
export { libraryJobs } from './counts/aggregate-counts.ts'
export { listHistory } from './list-history-and-favorites.ts'
export { recentlyWatched, recommendationJobs } from './update-next-watched.ts'
export { selectLastWatchedVideo as loadLastWatchedVideo } from './history/history-queries.ts'
export { mergeLibrary } from './personal-data/merge-library.ts'

/** The viewer-specific part of a video's page. */
export interface ViewerState {
  favorite: boolean
  resume: { episode_id: string; number: number; position_ms: number } | null
}

/** Loads the viewer-specific part of a video's page, and the stored data that this part is made from. */
export async function loadViewerState(
  db: Db,
  viewer: Viewer | null,
  videoId: string,
): Promise<{ state: ViewerState; viewing: StoredViewing | undefined }> {
  if (!viewer?.isStored) return { state: { favorite: false, resume: null }, viewing: undefined }
  const [favorite, viewing] = await Promise.all([
    isFavorite(db, viewer.userId, videoId),
    selectViewing(db, viewer.userId, videoId),
  ])
  return { state: { favorite, resume: resumeOf(viewing) }, viewing }
}

function resumeOf(viewing: StoredViewing | undefined): ViewerState['resume'] {
  const { entry } = viewing ?? {}
  if (!entry || entry.removed) return null
  const { episode_id, number, position_ms } = entry
  return { episode_id, number, position_ms }
}
