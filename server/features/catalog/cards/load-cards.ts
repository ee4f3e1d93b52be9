import type { VideoCard } from '#contract/catalog.ts'
import type { Language } from '#contract/languages.ts'
import { createRowCache } from '#server/platform/response-cache.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Db } from '#server/tables.ts'
import { presentCard } from './present-card.ts'
import {
  selectCardsByIds,
  selectTagNames,
  type CardRow,
  type NameRow,
} from '#server/features/catalog/queries.ts'

/** Finds the card rows of videos by their ids; videos that are not visible are omitted. */
export type FindCards = (ids: readonly string[]) => Promise<Map<string, CardRow>>

/** Replaces the tag ids of card rows with the tags' names. */
export type WithTags = <Row extends { tag_ids: readonly string[] }>(
  rows: readonly Row[],
) => Promise<(Omit<Row, 'tag_ids'> & { tags: NameRow[] })[]>

/** Creates cached reads of cards and tags. Each row is the same for all viewers and is cached for at most a second. */
export function createCards(db: Db, clock: Clock): { findCards: FindCards; withTags: WithTags } {
  const findTags = createRowCache(clock, (ids) => selectTagNames(db, ids))
  const withTags: WithTags = async (rows) => {
    const tags = await findTags([...new Set(rows.flatMap(({ tag_ids }) => tag_ids))])
    return rows.map(({ tag_ids, ...row }) => ({ ...row, tags: pickInOrder(tag_ids, tags) }))
  }
  const findCards = createRowCache(clock, async (ids) => withTags(await selectCardsByIds(db, ids)))
  return { findCards, withTags }
}

/** Returns the rows that were found, in the order of `ids`. */
function pickInOrder<Row>(ids: readonly string[], found: ReadonlyMap<string, Row>): Row[] {
  return ids.flatMap((id) => found.get(id) ?? [])
}

/** Adds the card rows to the positions of a list, in order; videos that are not visible are omitted. */
export async function withCards<Position extends { id: string }>(
  findCards: FindCards,
  positions: readonly Position[],
): Promise<(CardRow & Position)[]> {
  const cards = await findCards(positions.map(({ id }) => id))
  return positions.flatMap((place) => {
    const card = cards.get(place.id)
    return card ? [{ ...card, ...place }] : []
  })
}

/** Loads the cards of videos in one language, by id; videos that are not visible are omitted. */
export async function loadCards(
  findCards: FindCards,
  ids: readonly string[],
  language: Language,
): Promise<Map<string, VideoCard>> {
  const rows = await findCards(ids)
  return new Map([...rows].map(([id, row]) => [id, presentCard(row, language)]))
}
