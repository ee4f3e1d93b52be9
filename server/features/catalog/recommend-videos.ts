import type { Db, Tx } from '#server/tables.ts'
import type { ListedRow, ListPlace } from './list-queries.ts'
import type { Watched } from './list-videos.ts'
import { addWatchedNext, selectAlike, type WatchedNext } from './recommend-queries.ts'

/** How many of the videos that somebody watched last say what they get recommended. */
const seedCount = 5
const relatedCount = 12

/** What goes with a video, best first. */
export function relatedTo(db: Db, id: string): Promise<ListedRow[]> {
  return selectAlike(db, [id], { without: [id], limit: relatedCount })
}

/** What goes with the videos that somebody watched last, without these; nothing where they have watched nothing. */
export async function recommendFor(
  db: Db,
  watched: Watched,
  after: ListPlace | undefined,
  limit: number,
): Promise<ListedRow[]> {
  const ids = await watched()
  return ids.length > 0 ? selectAlike(db, ids.slice(0, seedCount), { without: ids, after, limit }) : []
}

/** Learns which videos people watched after which. */
export async function recordWatchedNext(tx: Tx, pairs: readonly WatchedNext[]): Promise<void> {
  if (pairs.length > 0) await addWatchedNext(tx, pairs)
}
