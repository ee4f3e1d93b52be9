import { sql, type Expression, type RawBuilder } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import { preparedQuery, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db } from '#server/tables.ts'
import type { ListOrder, ListPosition } from '#server/features/catalog/cards/list-queries.ts'
import {
  currentRankingVersion,
  risenFirst,
  hasRisenPast,
} from '#server/features/catalog/ranking/popular-queries.ts'
import { plainCardColumns, type CoverColumns, type PlainCardRow } from '#server/features/catalog/queries.ts'
import { tierSizes } from '#server/features/catalog/ranking/rank-queries.ts'

/** A typed word, in lower case and without accents. */
export interface TypedWord {
  word: string
  /**
   * Whether the index has exactly this word. For an unfinished word: whether the index has a word that begins with
   * these letters.
   */
  known: boolean
  /**
   * Indexed words that share a deletion neighbour with this word (SymSpell). They include all words one typo apart, and
   * some others.
   */
  alike: string[]
  /**
   * Categories whose names in any language have this word or a similar word. For an unfinished word: also a word that
   * begins with it.
   */
  categories: { id: string; words: string[] }[]
}

/** Maximum number of words of a keyword. */
export const maxWords = 8
/**
 * Maximum length of whole titles in the index. Normalisation expands some characters, so a normalised keyword may be
 * longer. It is then cut to this length.
 */
const maxTitleLength = 200
const maxSimilarWords = 200

interface TypedWordsParams {
  keyword: string
  forgiving: boolean
}

/** A keyword, normalised like the words of the index. */
export interface TypedKeyword {
  /** The words of the keyword, joined by spaces. */
  whole: string
  words: TypedWord[]
}

const typedWords = preparedQuery(
  (_: Db, { keyword, forgiving }: Placeholders<TypedWordsParams>) => sql<TypedWord & { whole: string }>`
    WITH words AS (SELECT normalized_words(${keyword}) AS words), looked_up AS MATERIALIZED (
      SELECT word, place, begun, coalesce((
        SELECT CASE WHEN begun THEN starts_with(next.word, each.word) ELSE next.word = each.word END
        FROM search_words next WHERE next.word >= each.word ORDER BY next.word LIMIT 1
      ), false) AS known
      FROM words, unnest(words) WITH ORDINALITY each(word, place),
        LATERAL (SELECT place = cardinality(words) AS begun) last
      WHERE place <= ${maxWords}
    ), typed AS MATERIALIZED (
      SELECT word, place, begun, known, CASE WHEN ${forgiving} OR NOT known THEN
        whole_word_deletions(word) || CASE WHEN begun THEN prefix_deletions(word) ELSE '{}' END
      END AS deletions
      FROM looked_up
    )
    SELECT word, known, rtrim(left(normalized_text(${keyword}), ${sql.lit(maxTitleLength)})) AS whole, alike, coalesce((
      SELECT jsonb_agg(jsonb_build_object('id', id, 'words', words)) FROM categories WHERE EXISTS (
        SELECT FROM unnest(categories.words) own(word) WHERE own.word = ANY(alike)
          OR CASE WHEN begun THEN starts_with(own.word, typed.word) ELSE own.word = typed.word END
      )
    ), '[]') AS categories
    FROM typed, LATERAL (SELECT ARRAY(
      SELECT search_words.word FROM search_words WHERE search_words.deletions && typed.deletions LIMIT ${maxSimilarWords}
    ) AS alike) near ORDER BY place`,
)

/**
 * Splits a keyword into words and looks them up in the index. Finds similar words for every word if `forgiving`,
 * otherwise only for words that are not in the index. The last word may be unfinished, so it matches all words that
 * begin with it.
 */
export async function selectTypedWords(
  db: Db,
  keyword: string,
  options: { forgiving: boolean },
): Promise<TypedKeyword> {
  const words = await typedWords(db, { keyword, ...options })
  return { whole: words[0]?.whole ?? '', words }
}

/** Search terms; each is the text of a PostgreSQL tsquery. */
export interface SearchTerms {
  /** The terms that a video must match. */
  all: string
  /** Terms of the best matches. `typed`: the words as typed. `title`: the words as a whole title. */
  typed: string
  title: string
  /** Terms of the titles that type-ahead suggests. Equal to `title` if a word matches only categories. */
  names: string
}

interface TierMatch {
  video_id: string
  key: unknown
  depth: number
  name_depth: number
}

/** The tiers of `video_search`, front to back. */
const tiers = Array.from({ length: tierSizes.length + 1 }, (_, tier) => tier)

interface SearchReach {
  /** The columns of the search row that order the matches. */
  key: Expression<unknown>
  /** The next tier is searched if fewer matches than this have been found. */
  enoughMatches: number
  /** If set, the search reads exactly the tiers that the first page read, whatever the number of matches. */
  to: Depths | undefined
}

/** The last tier that is searched for all terms, and the last tier that is searched for names. */
interface Depths {
  depth: Expression<number>
  nameDepth: Expression<number>
}

/** Finds the matching videos, with their keys and the last tiers that were searched. */
function searchTiers(terms: Placeholders<SearchTerms>, reach: SearchReach): RawBuilder<TierMatch> {
  const last = (isOpenAt: typeof isTierSearched) =>
    sql.join(
      tiers.slice(1).map((tier) => sql`(${isOpenAt(tier, reach)})::int`),
      sql` + `,
    )
  const all = tiers.map((tier) => sql`SELECT video_id, key FROM ${sql.table(`tier_${tier}`)}`)
  return sql<TierMatch>`WITH ${sql.join(tiers.map((tier) => readTier(tier, terms, reach)))}
    SELECT video_id, key, ${last(isTierSearched)} AS depth, ${last(isTierSearchedForNames)} AS name_depth
    FROM (${sql.join(all, sql` UNION ALL `)}) found`
}

/**
 * Builds the subqueries that read one tier. A tier beyond the searched ones returns only videos with exactly the typed
 * title. If it is searched for names, it also returns the videos that type-ahead suggests, because type-ahead may
 * search more tiers.
 */
function readTier(
  tier: number,
  { all, title, names }: Placeholders<SearchTerms>,
  reach: SearchReach,
): RawBuilder<unknown> {
  const query =
    tier === 0
      ? sql`${all}::tsquery`
      : sql`CASE WHEN ${isTierSearched(tier, reach)} THEN ${all}::tsquery
          WHEN ${isTierSearchedForNames(tier, reach)} THEN ${names}::tsquery || ${title}::tsquery ELSE ${title}::tsquery END`
  const before = (column: string) =>
    tier === 0 ? sql`0` : sql`(SELECT ${sql.ref(column)} FROM ${sql.table(`found_before_${tier}`)})`
  return sql`${sql.table(`tier_${tier}`)} AS MATERIALIZED (
      SELECT video_id, ${reach.key} AS key, words @@ ${names}::tsquery AS named
      FROM video_search WHERE tier = ${sql.lit(tier)} AND words @@ ${query}
    ), ${sql.table(`found_before_${tier + 1}`)} AS (
      SELECT ${before('videos')} + count(*) AS videos, ${before('names')} + count(*) FILTER (WHERE named) AS names
      FROM ${sql.table(`tier_${tier}`)}
    )`
}

function isTierSearched(tier: number, { enoughMatches, to }: SearchReach): RawBuilder<boolean> {
  return to === undefined
    ? sql<boolean>`(SELECT videos FROM ${sql.table(`found_before_${tier}`)}) < ${sql.lit(enoughMatches)}`
    : sql<boolean>`${to.depth}::int >= ${sql.lit(tier)}`
}

function isTierSearchedForNames(tier: number, { to }: SearchReach): RawBuilder<boolean> {
  return to === undefined
    ? sql<boolean>`(SELECT names FROM ${sql.table(`found_before_${tier}`)}) < ${sql.lit(enoughNames)}`
    : sql<boolean>`${to.nameDepth}::int >= ${sql.lit(tier)}`
}

/**
 * Scores a match: a more popular video scores higher. Videos with exactly the typed title are first, then those with
 * exactly the typed words.
 */
function matchScore({ all, typed, title }: Placeholders<SearchTerms>): RawBuilder<number> {
  return sql<number>`(ts_rank('{0.1, 0.1, 0.5, 1}', words, ${all}::tsquery) * 10000)::int * (10 + popularity_score)
    + CASE WHEN words @@ ${title}::tsquery THEN 4000000 WHEN words @@ ${typed}::tsquery THEN 2000000 ELSE 0 END`
}

/** Sort values of matches. Popularity changes too often to be stored in the search row. */
const sortKeys = {
  relevance: { ofMatch: matchScore, ofRow: 'found.key' },
  newest: { ofMatch: () => sql`released_at`, ofRow: 'found.key' },
  popular: { ofMatch: () => sql`0`, ofRow: 'videos.popularity' },
} as const

/** Number of matching titles after which type-ahead searches no further tier. */
const enoughNames = 20

/**
 * Number of matches after which no further tier is searched. A search finds at least this many matches, or all if there
 * are fewer.
 */
const enoughVideos = 60

export interface SearchPosition extends Required<ListPosition> {
  /** The last tiers of this search, for all terms and for names. */
  depth: number
  nameDepth: number
}

/** The position of a match: its sort values, and the last tiers that were searched. */
interface MatchPosition {
  id: string
  key: Date | number
  depth: number
  name_depth: number
  version: number
  risen: number | null
}

/**
 * A found video, with its position. A search reads the card columns itself, because found videos are rarely in the
 * cache.
 */
export type FoundVideo = PlainCardRow & MatchPosition

type Order = ListOrder | 'relevance'

/** Parameters of a search statement. The first page's statement does not use the parameters of the position. */
type SearchValues = SearchTerms & {
  limit: number
  depth: number
  nameDepth: number
  key: string | number
  id: string
  from: number
  after: string
}

/** Prepares the statement of a search in one order; the first page and further pages have different statements. */
const preparedSearch = (order: Order, isFirst: boolean) =>
  preparedQuery(
    (_: Db, values: Placeholders<SearchValues>) => sql<FoundVideo>`
      SELECT ${sql.join(plainCardColumns.map((column) => sql.ref(column)))},
        page.key, page.depth, page.name_depth, page.version, page.risen
      FROM (${findPositions(order, isFirst, values)}) page JOIN videos ON videos.id = page.id
      ORDER BY ${risenFirst(sql`page.risen`, sql`page.id`)}, page.key DESC, page.id DESC`,
  )

function findPositions(
  order: Order,
  isFirst: boolean,
  values: Placeholders<SearchValues>,
): RawBuilder<MatchPosition> {
  const { all, typed, title, names, limit, depth, nameDepth, key: after, id } = values
  const terms = { all, typed, title, names }
  const { ofMatch, ofRow } = sortKeys[order]
  const found = searchTiers(terms, {
    key: ofMatch(terms),
    enoughMatches: enoughVideos,
    to: isFirst ? undefined : { depth, nameDepth },
  })
  const key = sql.ref(ofRow)
  const isFurther = isFirst ? sql`true` : sql`(${key}, found.video_id) < (${after}, ${id})`
  const joined = order === 'popular' ? sql`JOIN videos ON videos.id = found.video_id` : sql``
  if (order !== 'popular' || isFirst)
    return sql<MatchPosition>`
      SELECT found.video_id AS id, ${key} AS key, depth, name_depth, ${currentRankingVersion} AS version, NULL::bigint AS risen
      FROM (${found}) found ${joined}
      WHERE ${isFurther} ORDER BY ${key} DESC, found.video_id DESC LIMIT ${limit}`
  const risen = sql`rank_changes.version`
  const rankChanges = { from: values.from, after: values.after }
  return sql<MatchPosition>`
    SELECT found.video_id AS id, ${key} AS key, depth, name_depth, ${currentRankingVersion} AS version, ${risen} AS risen
    FROM (${found}) found ${joined}
    LEFT JOIN rank_changes ON rank_changes.video_id = found.video_id AND ${hasRisenPast({ key: after, id, rankChanges })}
    WHERE ${isFurther} OR ${risen} IS NOT NULL
    ORDER BY ${risenFirst(risen, sql`found.video_id`)}, ${key} DESC, found.video_id DESC LIMIT ${limit}`
}

const preparedSearches = {
  relevance: { first: preparedSearch('relevance', true), further: preparedSearch('relevance', false) },
  newest: { first: preparedSearch('newest', true), further: preparedSearch('newest', false) },
  popular: { first: preparedSearch('popular', true), further: preparedSearch('popular', false) },
}

/** Placeholder values of the position for the first page, whose statement does not use them. */
const firstPagePosition: SearchPosition = {
  key: 0,
  id: '',
  depth: 0,
  nameDepth: 0,
  rankChanges: { from: 0, after: '' },
}

/**
 * Returns one page of the matching videos, in order. If ordered by popularity, the page includes videos that have risen
 * past the previous page.
 */
export function selectMatches(
  db: Db,
  terms: SearchTerms,
  order: Order,
  position: SearchPosition | undefined,
  limit: number,
): Promise<FoundVideo[]> {
  const { first, further } = preparedSearches[order]
  const { rankChanges, ...after } = position ?? firstPagePosition
  return (position ? further : first)(db, { ...terms, limit, ...after, ...rankChanges })
}

interface SuggestedTitle extends CoverColumns {
  id: string
  titles: LocalizedText
}

const suggestedTitles = preparedQuery(
  (_: Db, { all, typed, title, names, limit }: Placeholders<SearchTerms & { limit: number }>) => {
    const terms = { all, typed, title, names }
    const found = searchTiers(terms, { key: matchScore(terms), enoughMatches: enoughNames, to: undefined })
    return sql<SuggestedTitle>`
      SELECT id, titles, cover_path, cover_color, language_covers
      FROM (SELECT video_id, key FROM (${found}) found ORDER BY key DESC, video_id DESC LIMIT ${limit}) best
      JOIN videos ON videos.id = best.video_id
      ORDER BY key DESC, video_id DESC`
  },
)

/** Selects the videos whose titles match best (`matchScore`). */
export function suggestTitles(db: Db, terms: SearchTerms, limit: number): Promise<SuggestedTitle[]> {
  return suggestedTitles(db, { ...terms, limit })
}

/**
 * A literal instead of a parameter, so that a prepared statement can use the partial index of tags of published videos.
 */
const hasVideos = sql<boolean>`video_count > 0`

const suggestedTags = preparedQuery(
  (db: Db, { query, limit }: Placeholders<{ query: string; limit: number }>) =>
    db
      .selectFrom('tags')
      .select(['id', 'names', 'video_count', 'trending'])
      .where(sql<boolean>`words @@ ${query}::tsquery`)
      .where(hasVideos)
      .orderBy('rank')
      .orderBy('id')
      .limit(limit),
)

/** Selects the matching tags of published videos, by rank. */
export function suggestTags(db: Db, query: string, limit: number) {
  return suggestedTags(db, { query, limit })
}

/** A position in a list of tags: rank and id of the last listed tag, in this ranking version. */
interface TagPosition {
  rank: number
  id: string
  version: number
}

type TagRow = TagPosition & { names: LocalizedText; video_count: number; trending: boolean }

const tagsVersion = sql<number>`(SELECT tags_version FROM ranking_versions)`

/**
 * Selects the tags of published videos by rank, after a position. Uses the position's ranking version if it is the
 * current or the previous version, otherwise the current version. Only one of the two orders is read, along its index.
 */
export async function selectTags(db: Db, after: TagPosition | undefined, limit: number): Promise<TagRow[]> {
  const { rank: last, id, version: requestedVersion } = after ?? { rank: 0, id: '', version: null }
  const isPreviousVersion = sql<boolean>`coalesce(${tagsVersion} = ${requestedVersion}::bigint + 1, false)`
  const ordered = (column: string, version: RawBuilder<number>, condition: RawBuilder<boolean>) => {
    const rank = sql.ref(column)
    return sql<TagRow>`(
      SELECT id, names, video_count, trending, ${rank} AS rank, ${version} AS version FROM tags
      WHERE ${condition} AND ${hasVideos} AND (${rank}, id) > (${last}, ${id}) ORDER BY ${rank}, id LIMIT ${limit}
    )`
  }
  const former = ordered('previous_rank', sql<number>`${requestedVersion}::bigint`, isPreviousVersion)
  const latest = ordered('rank', tagsVersion, sql<boolean>`NOT ${isPreviousVersion}`)
  return (await sql<TagRow>`${former} UNION ALL ${latest} ORDER BY rank, id`.execute(db)).rows
}
