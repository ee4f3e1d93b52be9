import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { ChangeFeed } from '#server/platform/database/catalogue-changes.ts'
import type { Db } from '#server/tables.ts'
import { selectEpisode, selectEpisodesAfter, type EpisodeRow } from './queries.ts'

/**
 * Reads episode rows, which are the same for all viewers. Access to an episode is not checked here, but for each
 * request.
 */
export interface EpisodeCache {
  /** Returns a visible episode, or undefined. */
  find(id: string): Promise<EpisodeRow | undefined>
  /** Returns at most `limit` of a video's episodes after this number, in order. */
  after(videoId: string, number: number, limit: number): Promise<EpisodeRow[]>
  /** Returns the episodes that follow this one, in order, at most `limit`; none after the last one. */
  next(episode: EpisodeRow, limit: number): Promise<EpisodeRow[]>
}

/**
 * Returns whether a row may be cached: the episode exists and has no file to be converted, so it is playable. The
 * progress of a conversion changes without an announcement.
 */
const isConverted = (row: EpisodeRow | undefined) => row?.coming_progress === null

/**
 * Maximum length of a cached list, which is enough to issue links. Longer lists would take much memory, because clients
 * choose the start and length of each list.
 */
const maxCachedRows = 3

const videoIdOf = (rows: readonly EpisodeRow[]) => rows[0]?.video_id

const isCacheable = (rows: readonly EpisodeRow[]) => rows.length <= maxCachedRows && rows.every(isConverted)

/**
 * Creates a cache that keeps episode rows until their video changes, or for a second if changes may go unnoticed.
 * @param db the primary, because a change may be announced before a replica has it
 */
export function createEpisodeCache(db: Db, clock: Clock, changes: ChangeFeed): EpisodeCache {
  const single = createResponseCache<EpisodeRow | undefined>(clock, {
    stale: true,
    // An unknown episode is not kept, because clients can request any number of ids.
    keep: { changes, mayKeep: isConverted, videoIdOf: (row) => row?.video_id },
  })
  const lists = createResponseCache<EpisodeRow[]>(clock, {
    stale: true,
    // An empty list is not cached, because clients can request lists of any number of unknown videos.
    keep: { changes, mayKeep: (rows) => rows.length > 0 && isCacheable(rows), videoIdOf },
  })
  const following = createResponseCache<EpisodeRow[]>(clock, {
    stale: true,
    keep: { changes, mayKeep: isCacheable, videoIdOf },
  })
  return {
    find: (id) => single.get(id, () => selectEpisode(db, id)),
    after: (videoId, number, limit) =>
      lists.get(`${videoId} ${number} ${limit}`, () => selectEpisodesAfter(db, videoId, number, limit)),
    next: ({ id, video_id, number }, limit) =>
      following.get(`${id} ${limit}`, () => selectEpisodesAfter(db, video_id, number, limit)),
  }
}
