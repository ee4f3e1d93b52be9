import { createAnswerCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { selectEpisode, selectEpisodesAfter, type EpisodeRow } from './queries.ts'

/** Reads episodes as everybody sees them; who may play one is asked each time. */
export interface Episodes {
  /** One that can be seen, or undefined. */
  find(id: string): Promise<EpisodeRow | undefined>
  /** A video's episodes after this number, in order, at most `limit`. */
  after(videoId: string, number: number, limit: number): Promise<EpisodeRow[]>
}

/** What is the same for everybody is kept for at most a second. */
export function createEpisodes(db: Db, clock: Clock): Episodes {
  const single = createAnswerCache<EpisodeRow | undefined>(clock, { stale: true })
  const lists = createAnswerCache<EpisodeRow[]>(clock, { stale: true })
  return {
    find: (id) => single.get(id, () => selectEpisode(db, id)),
    after: (videoId, number, limit) =>
      lists.get(`${videoId} ${number} ${limit}`, () => selectEpisodesAfter(db, videoId, number, limit)),
  }
}
