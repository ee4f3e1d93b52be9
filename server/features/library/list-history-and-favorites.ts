import { listLimits } from '#contract/catalog.ts'
import { textInLanguage, type Language } from '#contract/languages.ts'
import type { FavoriteEntry, HistoryEntry } from '#contract/library.ts'
import { loadCards, type Catalog } from '#server/features/catalog/catalog.ts'
import { choosePageSize } from '#server/platform/cursor.ts'
import { readPage } from '#server/platform/read-page.ts'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { selectFavorites } from './favorite-queries.ts'
import { selectUnlocked, selectWatched, type HistoryListRow } from './history/history-queries.ts'

interface Paging {
  cursor?: string
  limit?: number
}

/** Dependencies of a viewer's lists. `findCards` loads the cards of the listed videos. */
type ListContext = Pick<Catalog, 'findCards'> & { db: Db }

interface Keyed {
  video_id: string
  at: Date
}

/**
 * Reads one page of a list that is ordered by time and then by video. The list of a viewer without a row in the
 * database is empty.
 */
function readEntries<Row extends Keyed>(
  list: string,
  viewer: Viewer,
  query: Paging,
  read: (after: PagePosition | undefined, limit: number) => Promise<Row[]>,
): Promise<{ page: Row[]; next_cursor: string | null }> {
  const paging = { cursor: query.cursor, size: choosePageSize(query.limit, listLimits) }
  return readPage(
    list,
    paging,
    async (after, limit) => (viewer.isStored ? read(after, limit) : []),
    ({ at, video_id }) => [at, video_id],
  )
}

const idsOf = (page: readonly Keyed[]) => [...new Set(page.map((row) => row.video_id))]

/**
 * Returns one page of the videos that a viewer watched or has unlocked, newest first, each video once.
 * @throws Fault invalidCursor
 */
export async function listHistory(
  { db, findCards }: ListContext,
  viewer: Viewer,
  query: Paging & { kind?: 'watched' | 'unlocked' },
  language: Language,
  now: Date,
): Promise<{ list: HistoryEntry[]; next_cursor: string | null }> {
  const { kind = 'watched' } = query
  const { page, next_cursor } = await readEntries(kind, viewer, query, (after, limit) =>
    kind === 'watched'
      ? selectWatched(db, viewer.userId, after, limit)
      : selectUnlocked(db, viewer.userId, now, after, limit),
  )
  const cards = await loadCards(findCards, idsOf(page), language)
  const list = page.flatMap((row) => {
    const video = cards.get(row.video_id)
    return video ? [{ video, ...presentEntry(row, language) }] : []
  })
  return { list, next_cursor }
}

function presentEntry(row: HistoryListRow, language: Language): Omit<HistoryEntry, 'video'> {
  const { episode_id: id, number, duration_ms, titles, position_ms, at, source, next_number } = row
  const title = titles.en ? textInLanguage({ ...titles, en: titles.en }, language) : ''
  return {
    episode: { id, number, title, duration_ms: duration_ms ?? 0 },
    position_ms,
    at: at.toISOString(),
    ...(source ? { source } : {}),
    ...(next_number === undefined ? {} : { next_number }),
  }
}

/** Returns one page of a viewer's favorites, latest first, including archived videos. @throws Fault invalidCursor */
export async function listFavorites(
  { db, findCards }: ListContext,
  viewer: Viewer,
  query: Paging,
  language: Language,
): Promise<{ list: FavoriteEntry[]; next_cursor: string | null }> {
  const { page, next_cursor } = await readEntries('favorites', viewer, query, (after, limit) =>
    selectFavorites(db, viewer.userId, after, limit),
  )
  const cards = await loadCards(findCards, idsOf(page), language)
  const list = page.flatMap(({ video_id, at }) => {
    const card = cards.get(video_id)
    return card ? [{ ...card, favorited_at: at.toISOString() }] : []
  })
  return { list, next_cursor }
}
