import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { isFavorite } from './favorite-queries.ts'
import { selectResume } from './history-queries.ts'

export * from './entitlements.ts'
export {
  giveEntitlement,
  listEntitlementsOf,
  listEntitlementsOfOrder,
  revokeEntitlement,
} from './admin-entitlements.ts'
export { eraseLibrary } from './erase-library.ts'
export { exportLibrary } from './export-library.ts'
export { loadEpisodeViewers } from './viewing-queries.ts'
export { libraryJobs } from './aggregate-counts.ts'
export { listHistory } from './list-entries.ts'
export { recentlyWatched, recommendationJobs } from './learn-next-watched.ts'
export {
  selectLastActivity as loadLastActivity,
  selectLastWatchedVideo as loadLastWatchedVideo,
} from './history-queries.ts'
export { holdSaves } from './waiting-saves.ts'
export { mergeLibrary } from './merge-library.ts'

/** What a video's page shows of one viewer alone. */
export interface Personal {
  favorite: boolean
  resume: { episode_id: string; number: number; position_ms: number } | null
}

export async function loadPersonal(db: Db, viewer: Viewer | null, videoId: string): Promise<Personal> {
  if (!viewer?.kept) return { favorite: false, resume: null }
  const [favorite, resume] = await Promise.all([
    isFavorite(db, viewer.userId, videoId),
    selectResume(db, viewer.userId, videoId),
  ])
  return { favorite, resume: resume ?? null }
}
