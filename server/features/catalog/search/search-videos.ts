import { Fault } from '#contract/errors.ts'
import { languages, type Language } from '#contract/languages.ts'
import { cutPage, decodeCursor, encodeCursor } from '#server/platform/cursor.ts'
import type { Db } from '#server/tables.ts'
import type { Catalog } from '#server/features/catalog/create-catalog.ts'
import type { ListedRow, ListOrder } from '#server/features/catalog/cards/list-queries.ts'
import { choosePrefixes, maxChoices, buildSearchTerms, withCategories, type Search } from './typo-matching.ts'
import { positionAfter } from '#server/features/catalog/ranking/popular-queries.ts'
import { maxWords, selectMatches, selectTypedWords, type SearchPosition } from './search-queries.ts'
import { areTyposSuggested } from './suggest-names.ts'

type Order = ListOrder | 'relevance'

/** If fewer videos than this match, the search also allows typos. */
const typoThreshold = 5

/**
 * Returns one page of the videos that have these words in their titles, synopses, tags or category, in any language.
 * Ignores accents, and allows one typo per word if few videos match. The last word may be unfinished. If no video has
 * all words, returns videos with some of them. Chooses words as type-ahead does (suggest-names.ts). So the results
 * include the names that type-ahead offers.
 * @throws Fault invalidCursor
 */
export async function searchVideos(
  { readDb, withTags }: Catalog,
  keyword: string,
  language: Language,
  order: Order,
  cursor: string | undefined,
  size: number,
): Promise<{ rows: ListedRow[]; nextCursor: string | null }> {
  const list = JSON.stringify(['words', keyword, order])
  const kinds = [
    ...searchCursorTypes,
    'integer',
    'integer',
    'count',
    'text',
    keyTypes[order],
    'text',
  ] as const
  const position = decodeCursor(list, cursor, kinds)
  const after = position && decodePosition(position)
  const { search, rows: places } = after
    ? await continueSearch(readDb, decodeSearch(position), after, order, size)
    : await startSearch(readDb, keyword, language, order, size)
  const { page, last } = cutPage(places, size)
  const lastPosition = last && positionAfter({ ...last, key: cursorKey(last) }, after)
  const next = lastPosition && [
    ...encodeSearch(search),
    last.depth,
    last.name_depth,
    lastPosition.rankChanges.from,
    lastPosition.rankChanges.after,
    lastPosition.key,
    lastPosition.id,
  ]
  return { rows: await withTags(page), nextCursor: next ? encodeCursor(list, next) : null }
}

/** Fields of a search in a cursor: how words are joined, the words, their choices, and the language of the names. */
const searchCursorTypes = ['text', 'text', 'text', 'text'] as const

/** Type of a position's key in each order. */
export const keyTypes = { newest: 'time', popular: 'count', relevance: 'integer' } as const

/** Converts a row's sort value to the form that cursors contain. */
export function cursorKey({ key }: Pick<ListedRow, 'key'>): string | number {
  return key instanceof Date ? key.toISOString() : (key ?? 0)
}

async function continueSearch(db: Db, search: Search, after: SearchPosition, order: Order, size: number) {
  return { search, rows: await findVideos(db, search, order, after, size) }
}

/**
 * Searches these words. If few videos or names match, also allows typos. If no video has all words, requires only some
 * of them.
 */
async function startSearch(db: Db, keyword: string, language: Language, order: Order, size: number) {
  const exact = await parseKeyword(db, keyword, language, { forgiving: false })
  const rows = await findVideos(db, exact.search, order, undefined, size)
  const { choices } = exact.search
  const isEnough = rows.length >= Math.min(typoThreshold, size + 1)
  if (choices.length === 0 || (isEnough && !(await areTyposSuggested(db, exact.typed, language))))
    return { search: exact.search, rows }
  // For words that are not in the index, similar words have already been searched.
  const typosTried = !exact.typed.words.some(({ known }) => known)
  const { search } = typosTried ? exact : await parseKeyword(db, keyword, language, { forgiving: true })
  const more = typosTried ? rows : await findVideos(db, search, order, undefined, size)
  const isOneWord = choices.length === 1
  if (more.length > 0 || isOneWord) return { search, rows: more }
  const anyWordSearch: Search = { ...search, join: 'any' }
  return { search: anyWordSearch, rows: await findVideos(db, anyWordSearch, order, undefined, size) }
}

async function parseKeyword(db: Db, keyword: string, language: Language, options: { forgiving: boolean }) {
  const typed = await selectTypedWords(db, keyword, options)
  const choices = withCategories(choosePrefixes(typed.words, options), typed.words)
  const search: Search = { join: 'all', whole: typed.whole, choices, language }
  return { search, typed }
}

async function findVideos(
  db: Db,
  search: Search,
  order: Order,
  after: SearchPosition | undefined,
  size: number,
) {
  const { join, choices } = search
  const has = (group: string[]) => group.length > 0
  const isPossible = join === 'all' ? choices.length > 0 && choices.every(has) : choices.some(has)
  return isPossible ? selectMatches(db, buildSearchTerms(search), order, after, size + 1) : []
}

function encodeSearch({ join, whole, choices, language }: Search): string[] {
  return [join, whole, choices.map((group) => group.join('|')).join(' '), language]
}

type CursorFields = readonly [
  join: string,
  whole: string,
  choices: string,
  language: string,
  depth: number,
  nameDepth: number,
  from: number,
  after: string,
  key: string | number,
  id: string,
]

function decodePosition([, , , , depth, nameDepth, from, after, key, id]: CursorFields): SearchPosition {
  return { key, id, depth, nameDepth, rankChanges: { from, after } }
}

/**
 * Decodes the search in a cursor. Spaces and bars separate the words, because words contain neither. Limits the
 * contents of a forged cursor to the limits of a search.
 */
function decodeSearch([join, whole, choices, languageCode]: CursorFields): Search {
  const groups = choices.split(' ').slice(0, maxWords)
  const language = languages.find((each) => each === languageCode)
  if (!language || whole.split(' ').includes('')) throw new Fault('invalidCursor')
  return {
    language,
    join: join === 'any' ? 'any' : 'all',
    whole,
    choices: groups.map((group) =>
      group
        .split('|')
        .filter((word) => word !== '')
        .slice(0, maxChoices(groups.length)),
    ),
  }
}
