import { listLimits, type sorts } from '#contract/catalog.ts'
import { Refusal } from '#contract/errors.ts'
import { textInLanguage, type Language } from '#contract/languages.ts'
import { cutPage, decodeCursor, encodeCursor, choosePageSize } from '#server/platform/cursor.ts'
import type { Db } from '#server/tables.ts'
import {
  selectVideos,
  type ListedRow,
  type ListFilter,
  type ListOrder,
  type ListPosition,
} from '#server/features/catalog/cards/list-queries.ts'
import type { Catalog } from '#server/features/catalog/create-catalog.ts'
import { positionAfter } from '#server/features/catalog/ranking/popular-queries.ts'
import { presentCard, presentName } from '#server/features/catalog/cards/present-card.ts'
import * as queries from '#server/features/catalog/queries.ts'
import { recommendPage, type LoadWatched } from '#server/features/catalog/recommendations/recommend-videos.ts'
import { cursorKey, keyTypes, searchVideos } from '#server/features/catalog/search/search-videos.ts'
import type { SectionSource } from '#server/features/catalog/tables.ts'

type Sort = (typeof sorts)[number]

export interface ListingQuery {
  section?: string
  menu?: string
  tag?: string
  keyword?: string
  sort?: Sort
  cursor?: string
  limit?: number
}

/** Converts the source of a section's videos to a filter and an order. */
export function resolveSource(source: Exclude<SectionSource, { type: 'recommended' }>): {
  filter: ListFilter
  order: ListOrder
} {
  switch (source.type) {
    case 'popular':
      return { filter: { by: 'all' }, order: 'popular' }
    case 'newest':
      return { filter: { by: 'all' }, order: 'newest' }
    case 'featured':
      return { filter: { by: 'featured' }, order: 'newest' }
    case 'category':
    case 'tag':
      return { filter: { by: source.type, slug: source.slug }, order: 'newest' }
    case 'videos':
      return { filter: { by: 'slugs', slugs: source.slugs }, order: 'newest' }
  }
}

/**
 * Returns one page of the videos of a section, menu entry, tag or keyword. If several are given, the first in this
 * order applies. If none is given, lists all videos.
 * @throws Refusal notFound for an unknown section, menu entry or tag
 * @throws Fault invalidCursor for a cursor that is damaged or belongs to another list
 */
export async function listVideos(
  catalog: Catalog,
  query: ListingQuery,
  language: Language,
  loadWatched: LoadWatched,
) {
  const size = choosePageSize(query.limit, listLimits)
  const { title, sorts, read } = await openListing(catalog, query, language, loadWatched)
  const { rows, nextCursor } = await read(query.cursor, size)
  return { list: rows.map((row) => presentCard(row, language)), next_cursor: nextCursor, title, sorts }
}

interface Page {
  rows: ListedRow[]
  nextCursor: string | null
}
interface Listing {
  title: string
  /** The available orders, the default first. */
  sorts: Sort[]
  read(cursor: string | undefined, size: number): Promise<Page>
}

async function openListing(
  catalog: Catalog,
  query: ListingQuery,
  language: Language,
  loadWatched: LoadWatched,
): Promise<Listing> {
  const { readDb: db } = catalog
  const { section, menu, tag, sort } = query
  const order: ListOrder = sort === 'popular' ? 'popular' : 'newest'
  if (section !== undefined) {
    const { id, titles, source } = requireFound(await queries.selectSection(db, section))
    const title = textInLanguage(titles, language)
    if (source.type === 'recommended')
      return {
        title,
        sorts: [],
        read: (cursor, size) => recommendPage(catalog, id, loadWatched, cursor, size),
      }
    const list = resolveSource(source)
    const listOrder = sort === 'popular' || sort === 'newest' ? sort : list.order
    return { title, sorts: sortsOf(list), read: pagesInOrder(db, id, list.filter, listOrder) }
  }
  if (menu !== undefined) {
    const { id, name } = presentName(requireFound(await queries.selectCategory(db, menu)), language)
    return { title: name, sorts: newestFirst, read: pagesInOrder(db, id, { by: 'category-id', id }, order) }
  }
  if (tag !== undefined) {
    const { id, name } = presentName(requireFound(await queries.selectTag(db, tag)), language)
    return { title: name, sorts: newestFirst, read: pagesInOrder(db, id, { by: 'tag-id', id }, order) }
  }
  const keyword = query.keyword?.trim() ?? ''
  if (keyword === '')
    return { title: '', sorts: newestFirst, read: pagesInOrder(db, 'all', { by: 'all' }, order) }
  return {
    title: keyword,
    sorts: ['relevance', 'popular', 'newest'],
    read: (cursor, size) => searchVideos(catalog, keyword, language, sort ?? 'relevance', cursor, size),
  }
}

const newestFirst: Sort[] = ['newest', 'popular']

/**
 * Returns the available orders of a list. Hand-picked videos have none, because they are always in the operator's
 * order.
 */
function sortsOf({ filter, order }: ReturnType<typeof resolveSource>): Sort[] {
  if (filter.by === 'slugs') return []
  return order === 'popular' ? ['popular', 'newest'] : newestFirst
}

function pagesInOrder(db: Db, name: string, filter: ListFilter, order: ListOrder): Listing['read'] {
  if (order === 'popular' && filter.by !== 'slugs') return popularPages(db, name, filter)
  const key = filter.by === 'slugs' ? 'integer' : keyTypes[order]
  return pagesOf(`${name} ${order}`, key, (after, limit) => selectVideos(db, filter, order, after, limit))
}

/**
 * Creates a reader of pages by popularity. A page begins with the videos that have risen above the cursor's position
 * since the previous page was read.
 */
function popularPages(db: Db, name: string, filter: ListFilter): Listing['read'] {
  const list = `${name} popular`
  return async (cursor, size) => {
    const position = decodeCursor(list, cursor, ['count', 'text', 'count', 'text'])
    const previous = position && {
      key: position[2],
      id: position[3],
      rankChanges: { from: position[0], after: position[1] },
    }
    const rows = await selectVideos(db, filter, 'popular', previous, size + 1)
    const { page, last } = cutPage(rows, size)
    const next =
      last && positionAfter({ ...last, key: Number(last.key), version: last.version ?? 0 }, previous)
    return {
      rows: page,
      nextCursor: next
        ? encodeCursor(list, [next.rankChanges.from, next.rankChanges.after, next.key, next.id])
        : null,
    }
  }
}

/**
 * Creates a reader of a list's pages. A cursor contains the sort key (of type `kind`) and the id of the last video of
 * the previous page. A cursor of a list with another name is refused.
 */
function pagesOf(
  name: string,
  kind: 'time' | 'count' | 'integer',
  select: (after: ListPosition | undefined, limit: number) => Promise<ListedRow[]>,
): Listing['read'] {
  return async (cursor, size) => {
    const position = decodeCursor(name, cursor, [kind, 'text'])
    const after = position && { key: position[0], id: position[1] }
    const rows = await select(after, size + 1)
    const { page, last } = cutPage(rows, size)
    return { rows: page, nextCursor: last ? encodeCursor(name, [cursorKey(last), last.id]) : null }
  }
}

/**
 * Returns the value if it is defined.
 * @throws Refusal notFound if it is undefined
 */
export function requireFound<T>(record: T | undefined): T {
  if (record === undefined) throw new Refusal('notFound')
  return record
}
