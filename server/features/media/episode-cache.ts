import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
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

/** Creates a cache that keeps episode rows for at most a second. */
export function createEpisodeCache(db: Db, clock: Clock): EpisodeCache {
  const single = createResponseCache<EpisodeRow | undefined>(clock, { stale: true })
  const lists = createResponseCache<EpisodeRow[]>(clock, { stale: true })
  return {
    find: (id) => single.get(id, () => selectEpisode(db, id)),
    after: (videoId, number, limit) =>
      lists.get(`${videoId} ${number} ${limit}`, () => selectEpisodesAfter(db, videoId, number, limit)),
  }
}
