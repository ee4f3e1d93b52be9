import type { Tx } from '#server/tables.ts'
import type { ListedRow, ListPlace } from './list-queries.ts'
import type { Watched } from './list-videos.ts'
import type { Catalog } from './create-catalog.ts'
import { withCards } from './load-cards.ts'
import { addWatchedNext, mostSeeds, type WatchedNext } from './recommend-queries.ts'

const relatedCount = 12

/** What goes with a video, best first. */
export async function relatedTo({ findAlike, findCards }: Catalog, id: string): Promise<ListedRow[]> {
  return withCards(findCards, await findAlike([id], { without: [id], limit: relatedCount }))
}

/** What goes with the videos that somebody watched last, without these; nothing where they have watched nothing. */
export async function recommendFor(
  { findAlike, findCards }: Catalog,
  watched: Watched,
  after: ListPlace | undefined,
  limit: number,
): Promise<ListedRow[]> {
  const ids = await watched()
  if (ids.length === 0) return []
  return withCards(findCards, await findAlike(ids.slice(0, mostSeeds), { without: ids, after, limit }))
}

/** Learns which videos people watched after which. */
export async function recordWatchedNext(tx: Tx, pairs: readonly WatchedNext[]): Promise<void> {
  if (pairs.length > 0) await addWatchedNext(tx, pairs)
}
