import { listLimits, type Tag } from '#contract/catalog.ts'
import { inLanguage, type Language, type Texts } from '#contract/languages.ts'
import { cutPage, decodeCursor, encodeCursor, pageSize } from '#server/platform/cursor.ts'
import type { Db } from '#server/tables.ts'
import { chooseBeginnings, nameTermsFor } from './match-words.ts'
import { selectTags, selectTypedWords, suggestTags, suggestTitles } from './search-queries.ts'

interface TagsQuery {
  keyword?: string
  cursor?: string
  limit?: number
}

/**
 * The tags that have something to show, the liveliest first; with a keyword, tags and titles as it is typed.
 * @throws Fault badCursor
 */
export function listTags(db: Db, query: TagsQuery, language: Language) {
  const keyword = query.keyword?.trim() ?? ''
  return keyword === '' ? listAll(db, query, language) : suggest(db, keyword, query, language)
}

async function listAll(db: Db, query: TagsQuery, language: Language) {
  const size = pageSize(query.limit, listLimits)
  const position = decodeCursor('tags', query.cursor, ['count', 'integer', 'text'])
  const after = position && { generation: position[0], place: position[1], id: position[2] }
  const rows = await selectTags(db, after, size + 1)
  const { page, last } = cutPage(rows, size)
  return {
    list: page.map((row) => presentTag(row, language)),
    next_cursor: last ? encodeCursor('tags', [last.generation, last.place, last.id]) : null,
  }
}

/** One short list that no cursor goes on with: whoever does not find it there types another letter. */
const suggestions = { usual: 8, most: 20 }
/** Fewer than so many, and typos are looked for too. */
const few = 3

async function suggest(db: Db, keyword: string, query: TagsQuery, language: Language) {
  decodeCursor(`tags ${keyword}`, query.cursor, [])
  const limit = pageSize(query.limit, suggestions)
  const exact = await suggestOnce(db, keyword, language, { forgiving: false, limit })
  // For words that nobody knows, those alike have been tried.
  const isEnough = exact.tags.length + exact.titles.length >= few || !exact.hasKnown
  const { tags, titles } = isEnough
    ? exact
    : await suggestOnce(db, keyword, language, { forgiving: true, limit })
  return {
    list: tags.map((row) => presentTag(row, language)),
    next_cursor: null,
    titles: titles.map(({ id, titles, cover_path }) => ({
      id,
      title: inLanguage(titles, language),
      cover_url: cover_path && `/${cover_path}`,
    })),
  }
}

async function suggestOnce(
  db: Db,
  keyword: string,
  language: Language,
  { forgiving, limit }: { forgiving: boolean; limit: number },
) {
  const { whole, words } = await selectTypedWords(db, keyword, { forgiving, unfinished: true })
  const hasKnown = words.some(({ known }) => known)
  const choices = chooseBeginnings(words, { forgiving })
  if (choices.length === 0 || choices.some((group) => group.length === 0))
    return { tags: [], titles: [], hasKnown }
  const terms = nameTermsFor(whole, choices, language === 'en' ? ['en'] : [language, 'en'])
  const [tags, titles] = await Promise.all([
    suggestTags(db, terms.all, limit),
    suggestTitles(db, terms, limit),
  ])
  return { tags, titles, hasKnown }
}

function presentTag(
  { id, names, video_count, trending }: { id: string; names: Texts; video_count: number; trending: boolean },
  language: Language,
): Tag {
  return { id, name: inLanguage(names, language), video_count, trending }
}
