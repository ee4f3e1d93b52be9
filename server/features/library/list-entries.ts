import { listLimits } from '#contract/catalog.ts'
import { inLanguage, type Language } from '#contract/languages.ts'
import type { FavoriteEntry, HistoryEntry } from '#contract/library.ts'
import { loadCards, type Catalog } from '#server/features/catalog/catalog.ts'
import { decodeCursor, encodeCursor, pageSize } from '#server/platform/cursor.ts'
import type { After } from '#server/platform/database/prepared-page.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import { selectFavorites } from './favorite-queries.ts'
import { selectUnlocked, selectWatched, type ListedRow } from './history-queries.ts'

interface Paging {
  cursor?: string
  limit?: number
}

interface Keyed {
  video_id: string
  at: Date
}

/** One page of a list that is ordered by time and then video, read with one row more than it shows; none where nothing is kept. */
async function readPage<Row extends Keyed>(
  list: string,
  viewer: Viewer,
  query: Paging,
  read: (after: After | undefined, limit: number) => Promise<Row[]>,
): Promise<{ page: Row[]; next_cursor: string | null }> {
  const size = pageSize(query.limit, listLimits)
  const after = readCursor(list, query.cursor)
  const rows = viewer.kept ? await read(after, size + 1) : []
  const page = rows.slice(0, size)
  const last = rows.length > size ? page.at(-1) : undefined
  return { page, next_cursor: last ? encodeCursor(list, [last.at.toISOString(), last.video_id]) : null }
}

function readCursor(list: string, cursor: string | undefined): After | undefined {
  const position = decodeCursor(list, cursor, ['time', 'text'])
  return position && { at: position[0], id: position[1] }
}

const idsOf = (page: readonly Keyed[]) => [...new Set(page.map((row) => row.video_id))]

/** One page of what a viewer watched or has unlocked, newest first, each video once. @throws Fault badCursor */
export async function listHistory(
  { db, findCards }: Catalog,
  viewer: Viewer,
  query: Paging & { kind?: 'watched' | 'unlocked' },
  language: Language,
  now: Date,
): Promise<{ list: HistoryEntry[]; next_cursor: string | null }> {
  const { kind = 'watched' } = query
  const { page, next_cursor } = await readPage(kind, viewer, query, (after, limit) =>
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

function presentEntry(row: ListedRow, language: Language): Omit<HistoryEntry, 'video'> {
  const { episode_id: id, number, duration_ms, titles, position_ms, at, source } = row
  const title = titles.en ? inLanguage({ ...titles, en: titles.en }, language) : ''
  return {
    episode: { id, number, title, duration_ms: duration_ms ?? 0 },
    position_ms,
    at: at.toISOString(),
    ...(source ? { source } : {}),
  }
}

/** One page of a viewer's favorites, the latest first; archived videos stay on it. @throws Fault badCursor */
export async function listFavorites(
  { db, findCards }: Catalog,
  viewer: Viewer,
  query: Paging,
  language: Language,
): Promise<{ list: FavoriteEntry[]; next_cursor: string | null }> {
  const { page, next_cursor } = await readPage('favorites', viewer, query, (after, limit) =>
    selectFavorites(db, viewer.userId, after, limit),
  )
  const cards = await loadCards(findCards, idsOf(page), language)
  const list = page.flatMap(({ video_id, at }) => {
    const card = cards.get(video_id)
    return card ? [{ ...card, favorited_at: at.toISOString() }] : []
  })
  return { list, next_cursor }
}
