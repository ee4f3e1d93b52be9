import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { createSimilarVideos, type FindSimilar } from './recommendations/similar-videos.ts'
import { createCards, type FindCards, type WithTags } from './cards/load-cards.ts'

/** What reading the catalogue takes. What is the same for every viewer is kept for at most a second. */
export interface Catalog {
  /** Where the catalogue is read: a replica of the database where there is one, which may be some seconds behind. */
  reads: Db
  findCards: FindCards
  withTags: WithTags
  findAlike: FindSimilar
}

/** Creates what reading the catalogue takes. */
export function createCatalog(reads: Db, clock: Clock): Catalog {
  return { reads, ...createCards(reads, clock), findAlike: createSimilarVideos(reads, clock) }
}
