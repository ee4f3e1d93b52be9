import { createAnswerCache } from '#server/platform/answer-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { selectAlike, type Alike, type AlikeOptions } from './recommend-queries.ts'

/** Finds videos similar to these, best first, for any viewer. */
export type FindAlike = (seeds: readonly string[], options: AlikeOptions) => Promise<readonly Alike[]>

/** Whoever comes from the same ad has seen the same episode: what goes with it is looked up once a second. */
export function createAlike(db: Db, clock: Clock): FindAlike {
  const kept = createAnswerCache<readonly Alike[]>(clock)
  return (seeds, options) => kept.get(JSON.stringify([seeds, options]), () => selectAlike(db, seeds, options))
}
