import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { createSimilarVideos, type FindSimilar } from './recommendations/similar-videos.ts'
import { createCards, type FindCards, type WithTags } from './cards/load-cards.ts'

/** What of the catalogue is the same for every viewer, kept for at most a second. */
interface Shared {
  findCards: FindCards
  withTags: WithTags
  findAlike: FindSimilar
}

/** What reading the catalogue takes. */
export interface Catalog extends Shared {
  db: Db
}

/** What reading the catalogue takes beside the database. */
export function createCatalog(db: Db, clock: Clock): Shared {
  return { ...createCards(db, clock), findAlike: createSimilarVideos(db, clock) }
}
