import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { createSimilarVideos, type FindSimilar } from './recommendations/similar-videos.ts'
import { createCards, type FindCards, type WithTags } from './cards/load-cards.ts'

/** Cached reads of the catalogue. Viewer-independent data is cached for at most a second. */
export interface Catalog {
  /** Database for reads: a replica, which may lag by some seconds, or the primary if there is no replica. */
  readDb: Db
  findCards: FindCards
  withTags: WithTags
  findSimilar: FindSimilar
}

/** Creates the cached reads of the catalogue. */
export function createCatalog(readDb: Db, clock: Clock): Catalog {
  return { readDb, ...createCards(readDb, clock), findSimilar: createSimilarVideos(readDb, clock) }
}
