import type { VideoCard } from '#contract/catalog.ts'
import type { Language } from '#contract/languages.ts'
import { createAnswerCache } from '#server/platform/answer-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { presentCard } from './present.ts'
import { selectCardsByIds, type CardRow } from './queries.ts'

/** Finds the rows behind cards by their ids; what may not be seen is missing. */
export type FindCards = (ids: readonly string[]) => Promise<Map<string, CardRow>>

/** What cards look like is the same for everybody, whoever's list they stand in: each is kept for at most a second. */
export function createCards(db: Db, clock: Clock): FindCards {
  const kept = createAnswerCache<CardRow | undefined>(clock)
  return async (ids) => {
    const missing: string[] = []
    // Asked for once the ids below have all been looked at.
    const loaded = Promise.resolve().then(() => findAll(db, missing))
    const rows = await Promise.all(
      ids.map((id) =>
        kept.get(id, () => {
          missing.push(id)
          return loaded.then((found) => found.get(id))
        }),
      ),
    )
    return new Map(rows.flatMap((row) => (row ? [[row.id, row]] : [])))
  }
}

async function findAll(db: Db, ids: readonly string[]): Promise<Map<string, CardRow>> {
  if (ids.length === 0) return new Map()
  const rows = await selectCardsByIds(db, ids)
  return new Map(rows.map((row) => [row.id, row]))
}

/** These places of a list with the rows behind their cards, in order; what may not be seen is missing. */
export async function withCards<Place extends { id: string }>(
  findCards: FindCards,
  places: readonly Place[],
): Promise<(CardRow & Place)[]> {
  const cards = await findCards(places.map(({ id }) => id))
  return places.flatMap((place) => {
    const card = cards.get(place.id)
    return card ? [{ ...card, ...place }] : []
  })
}

/** The cards of these videos by id, in one language; what may not be seen is missing. */
export async function loadCards(
  findCards: FindCards,
  ids: readonly string[],
  language: Language,
): Promise<Map<string, VideoCard>> {
  const rows = await findCards(ids)
  return new Map([...rows].map(([id, row]) => [id, presentCard(row, language)]))
}
