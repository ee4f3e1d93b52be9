import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { ChangeFeed } from '#server/platform/database/catalogue-changes.ts'
import type { Db } from '#server/tables.ts'
import { selectEpisode, selectEpisodesAfter, type EpisodeRow } from './queries.ts'

/**
 * Reads episode rows, which are the same for all viewers. Access to an episode is checked for each request, not here.
 */
export interface EpisodeCache {
  /** Returns a visible episode, or undefined. */
  find(id: string): Promise<EpisodeRow | undefined>
  /** Returns a video's episodes after this number, in order, at most `limit`. */
  after(videoId: string, number: number, limit: number): Promise<EpisodeRow[]>
}

/** The progress of a conversion changes without an announcement. */
const isConverted = (row: EpisodeRow) => row.asset_id !== null && row.coming_progress === null

/** Creates a cache that keeps episode rows until the catalogue changes, or for a second if changes may go unnoticed. */
export function createEpisodeCache(db: Db, clock: Clock, changes: ChangeFeed): EpisodeCache {
  const single = createResponseCache<EpisodeRow | undefined>(clock, {
    stale: true,
    keep: { changes, mayKeep: (row) => row !== undefined && isConverted(row) },
  })
  const lists = createResponseCache<EpisodeRow[]>(clock, {
    stale: true,
    keep: { changes, mayKeep: (rows) => rows.every(isConverted) },
  })
  return {
    find: (id) => single.get(id, () => selectEpisode(db, id)),
    after: (videoId, number, limit) =>
      lists.get(`${videoId} ${number} ${limit}`, () => selectEpisodesAfter(db, videoId, number, limit)),
  }
}
