import { createResponseCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { selectSimilar, type SimilarVideo, type SimilarOptions } from './recommend-queries.ts'

/** Finds videos similar to these, best first, for any viewer. */
export type FindSimilar = (
  seeds: readonly string[],
  options: SimilarOptions,
) => Promise<readonly SimilarVideo[]>

/**
 * Queries the similar videos of the same seeds at most once a second, because an ad may bring many viewers to one
 * episode at once.
 */
export function createSimilarVideos(db: Db, clock: Clock): FindSimilar {
  const cache = createResponseCache<readonly SimilarVideo[]>(clock)
  return (seeds, options) =>
    cache.get(JSON.stringify([seeds, options]), () => selectSimilar(db, seeds, options))
}
