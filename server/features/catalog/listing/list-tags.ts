import { listLimits, type Tag } from '#contract/catalog.ts'
import { textInLanguage, type Language, type LocalizedText } from '#contract/languages.ts'
import { cutPage, decodeCursor, encodeCursor, choosePageSize } from '#server/platform/cursor.ts'
import type { Db } from '#server/tables.ts'
import { presentCover } from '#server/features/catalog/cards/present-card.ts'
import { selectTags } from '#server/features/catalog/search/search-queries.ts'
import { suggestNames } from '#server/features/catalog/search/suggest-names.ts'

interface TagsQuery {
  keyword?: string
  cursor?: string
  limit?: number
}

/**
 * Lists the tags of published videos, most trending first. With a keyword, suggests tags and titles for type-ahead.
 * @throws Fault invalidCursor
 */
export function listTags(db: Db, query: TagsQuery, language: Language) {
  const keyword = query.keyword?.trim() ?? ''
  return keyword === '' ? listAll(db, query, language) : suggest(db, keyword, query, language)
}

async function listAll(db: Db, query: TagsQuery, language: Language) {
  const size = choosePageSize(query.limit, listLimits)
  const position = decodeCursor('tags', query.cursor, ['count', 'integer', 'text'])
  const after = position && { version: position[0], rank: position[1], id: position[2] }
  const rows = await selectTags(db, after, size + 1)
  const { page, last } = cutPage(rows, size)
  return {
    list: page.map((row) => presentTag(row, language)),
    next_cursor: last ? encodeCursor('tags', [last.version, last.rank, last.id]) : null,
  }
}

/** Page sizes of suggestions. Suggestions have no further pages, because users type another letter instead. */
const suggestions = { default: 8, max: 20 }
async function suggest(db: Db, keyword: string, query: TagsQuery, language: Language) {
  decodeCursor(`tags ${keyword}`, query.cursor, [])
  const limit = choosePageSize(query.limit, suggestions)
  const { tags, titles } = await suggestNames(db, keyword, language, limit)
  return {
    list: tags.slice(0, limit).map((row) => presentTag(row, language)),
    next_cursor: null,
    titles: titles.slice(0, limit).map((row) => ({
      id: row.id,
      title: textInLanguage(row.titles, language),
      cover_url: presentCover(row, language).cover_url,
    })),
  }
}

function presentTag(
  {
    id,
    names,
    video_count,
    trending,
  }: { id: string; names: LocalizedText; video_count: number; trending: boolean },
  language: Language,
): Tag {
  return { id, name: textInLanguage(names, language), video_count, trending }
}
