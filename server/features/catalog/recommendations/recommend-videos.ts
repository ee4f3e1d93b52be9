import { cutPage, decodeCursor, encodeCursor } from '#server/platform/cursor.ts'
import type { Tx } from '#server/tables.ts'
import type { ListedRow } from '#server/features/catalog/cards/list-queries.ts'
import type { Catalog } from '#server/features/catalog/create-catalog.ts'
import { withCards } from '#server/features/catalog/cards/load-cards.ts'
import { addWatchedNext, idSuffix, maxSeeds, type WatchedNext } from './recommend-queries.ts'

/** Returns the videos that a viewer watched recently, newest first, as the basis of recommendations. */
export type LoadWatched = () => Promise<string[]>

const relatedCount = 12

/** Returns videos similar to the given one, best first. */
export async function loadRelatedVideos(
  { findSimilar, findCards }: Catalog,
  id: string,
): Promise<ListedRow[]> {
  return withCards(findCards, await findSimilar([id], { without: [idSuffix(id)], limit: relatedCount }))
}

/**
 * `seeds` are the videos on which recommendations are based. `without` has the ends of the ids of excluded or listed
 * videos.
 */
interface Basis {
  seeds: readonly string[]
  without: readonly string[]
}

const basisOf = (watched: readonly string[]): Basis => ({
  seeds: watched.slice(0, maxSeeds),
  without: watched.map(idSuffix),
})

/**
 * Recommends videos similar to those that the viewer watched last. Omits watched videos. A viewer without a history
 * gets none.
 */
export async function recommendVideos(
  { findSimilar, findCards }: Catalog,
  loadWatched: LoadWatched,
  limit: number,
): Promise<ListedRow[]> {
  const { seeds, without } = basisOf(await loadWatched())
  return seeds.length > 0 ? withCards(findCards, await findSimilar(seeds, { without, limit })) : []
}

/**
 * Maximum number of excluded videos in a cursor. The page that exceeds it is the last page: a viewer who has chosen
 * none of about two hundred videos rarely reads further pages.
 */
const maxExcluded = 240

/**
 * Returns recommendations in pages. Similarity and the viewer's history change all the time. So the cursor contains the
 * seeds of the first page and the videos listed so far. A further page has the best videos that are not listed yet.
 * @throws Fault invalidCursor
 */
export async function recommendPage(
  { findSimilar, findCards }: Catalog,
  list: string,
  loadWatched: LoadWatched,
  cursor: string | undefined,
  size: number,
): Promise<{ rows: ListedRow[]; nextCursor: string | null }> {
  const position = decodeCursor(list, cursor, ['text', 'text'])
  const { seeds, without } = position ? decodeBasis(position) : basisOf(await loadWatched())
  if (seeds.length === 0) return { rows: [], nextCursor: null }
  const { page, last } = cutPage(await findSimilar(seeds, { without, limit: size + 1 }), size)
  const excluded = [...without, ...page.map(({ id }) => idSuffix(id))]
  const isLastPage = !last || excluded.length > maxExcluded
  return {
    rows: await withCards(findCards, page),
    nextCursor: isLastPage ? null : encodeCursor(list, encodeBasis({ seeds, without: excluded })),
  }
}

/** Encodes a position in a list of recommendations for a cursor. The end of each id takes four bytes. */
export function encodeBasis({ seeds, without }: Basis): [seeds: string, without: string] {
  return [seeds.join(' '), Buffer.from(without.join(''), 'hex').toString('base64url')]
}

function decodeBasis([seeds, without]: readonly [string, string]): Basis {
  const digits = Buffer.from(without, 'base64url').toString('hex')
  return { seeds: seeds.split(' ').slice(0, maxSeeds), without: digits.match(/.{8}/g) ?? [] }
}

/** Records pairs of videos that viewers watched one after the other. */
export async function recordWatchedNext(tx: Tx, pairs: readonly WatchedNext[]): Promise<void> {
  if (pairs.length > 0) await addWatchedNext(tx, pairs)
}
