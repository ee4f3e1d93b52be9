import { sql, type RawBuilder } from 'kysely'
import type { Texts } from '#contract/languages.ts'
import type { Db } from '#server/tables.ts'
import type { ListedRow, ListOrder, ListPlace } from './list-queries.ts'
import { selectCards } from './queries.ts'

/** A word that was typed, without accents and case. */
export interface TypedWord {
  word: string
  /** Whether a published text has exactly this word. */
  known: boolean
  /** Words that have a form in common with it: what may be one typo apart, and some that are not. */
  alike: string[]
}

const mostWords = 8
const mostAlike = 200

/**
 * The words of a keyword as the index has them. Those alike are looked up for every word where `forgiving`, else for the
 * unknown ones; where the last word is `unfinished`, also among the words that begin like it.
 */
export async function selectTypedWords(
  db: Db,
  keyword: string,
  { forgiving, unfinished }: { forgiving: boolean; unfinished: boolean },
): Promise<{ whole: string; words: TypedWord[] }> {
  const { rows } = await sql<TypedWord & { whole: string }>`
    WITH words AS (SELECT plain_words(${keyword}) AS words), typed AS MATERIALIZED (
      SELECT word, place, EXISTS (SELECT FROM search_words WHERE search_words.word = typed.word) AS known,
        whole_forms(word)
          || CASE WHEN ${unfinished} AND place = cardinality(words) THEN beginning_forms(word) ELSE '{}' END AS forms
      FROM words, unnest(words) WITH ORDINALITY typed(word, place) WHERE place <= ${mostWords}
    )
    SELECT word, known, plain_text(${keyword}) AS whole,
      CASE WHEN known AND NOT ${forgiving} THEN '{}' ELSE ARRAY(
        SELECT search_words.word FROM search_words WHERE search_words.forms && typed.forms LIMIT ${mostAlike}
      ) END AS alike
    FROM typed ORDER BY place`.execute(db)
  return { whole: rows[0]?.whole ?? '', words: rows }
}

/** What is searched for, as PostgreSQL reads it: tsquery texts. */
export interface SearchTerms {
  /** What a video must match. */
  all: string
  /** What makes one the best of all: the words as they were typed, the words as a whole title. */
  typed: string
  title: string
}

interface Found {
  video_id: string
  score: number
  depth: number
}

/**
 * The videos that match, with their scores, from the shelves of `video_search` in turn: another is opened while fewer than
 * `plenty` were found, or as far as `depth` says. Of a shelf that stays closed, only those that have these words as their title.
 */
function findOnShelves(
  terms: SearchTerms,
  { plenty, depth }: { plenty: number; depth: number | undefined },
): RawBuilder<Found> {
  const score = sql`(ts_rank('{0.1, 0.1, 0.5, 1}', words, ${terms.all}::tsquery) * 10000)::int * (10 + fame)
    + CASE WHEN words @@ ${terms.title}::tsquery THEN 4000000 WHEN words @@ ${terms.typed}::tsquery THEN 2000000 ELSE 0 END`
  const isOpen = (shelf: number) =>
    depth === undefined
      ? sql`(SELECT found FROM found_before_${sql.raw(String(shelf))}) < ${plenty}::int`
      : sql`${depth >= shelf}::boolean`
  const onShelf = (shelf: number) => {
    const number = sql.raw(String(shelf))
    const wanted =
      shelf === 0
        ? sql`${terms.all}::tsquery`
        : sql`CASE WHEN ${isOpen(shelf)} THEN ${terms.all}::tsquery ELSE ${terms.title}::tsquery END`
    const before = shelf === 0 ? sql`0` : sql`(SELECT found FROM found_before_${number})`
    return sql`shelf_${number} AS MATERIALIZED (
      SELECT video_id, ${score} AS score FROM video_search WHERE shelf = ${number} AND words @@ ${wanted}
    ), found_before_${sql.raw(String(shelf + 1))} AS (
      SELECT ${before} + count(*) AS found FROM shelf_${number}
    )`
  }
  const shelves = [0, 1, 2, 3]
  return sql<Found>`WITH ${sql.join(shelves.map(onShelf))}
    SELECT video_id, score, ${sql.join(
      [1, 2, 3].map((shelf) => sql`(${isOpen(shelf)})::int`),
      sql` + `,
    )} AS depth
    FROM (${sql.join(
      shelves.map((shelf) => sql`SELECT * FROM shelf_${sql.raw(String(shelf))}`),
      sql` UNION ALL `,
    )}) found`
}

const keys = { relevance: 'found.score', newest: 'videos.released_at', popular: 'videos.popularity' } as const

/** How many matches are plenty: a search gives at least so many of the best known, and all where there are fewer. */
const plentyOfVideos = 100

export interface SearchPlace extends ListPlace {
  /** The shelf up to which this search looks. */
  depth: number
}

/** One page of the videos that match, in order, each with the shelf up to which it was looked for. */
export function searchVideos(
  db: Db,
  terms: SearchTerms,
  order: ListOrder | 'relevance',
  after: SearchPlace | undefined,
  limit: number,
): Promise<(ListedRow & { depth: number })[]> {
  const found = findOnShelves(terms, { plenty: plentyOfVideos, depth: after?.depth })
  const key = sql.ref(keys[order])
  const page = sql<{ video_id: string; key: Date | number; depth: number }>`(
    SELECT video_id, ${key} AS key, depth FROM (${found}) found
    ${order === 'relevance' ? sql`` : sql`JOIN videos ON videos.id = video_id`}
    ${after ? sql`WHERE (${key}, video_id) < (${after.key}, ${after.id})` : sql``}
    ORDER BY ${key} DESC, video_id DESC LIMIT ${limit}
  )`.as('page')
  return selectCards(db)
    .innerJoin(page, 'page.video_id', 'videos.id')
    .select(['page.key', 'page.depth'])
    .orderBy('page.key', 'desc')
    .orderBy('page.video_id', 'desc')
    .execute()
}

const plentyOfTitles = 20

/** The best known videos whose title matches. */
export async function suggestTitles(
  db: Db,
  terms: SearchTerms,
  limit: number,
): Promise<{ id: string; titles: Texts; cover_path: string | null }[]> {
  const found = findOnShelves(terms, { plenty: plentyOfTitles, depth: undefined })
  const { rows } = await sql<{ id: string; titles: Texts; cover_path: string | null }>`
    SELECT id, titles, cover_path
    FROM (SELECT video_id, score FROM (${found}) found ORDER BY score DESC, video_id DESC LIMIT ${limit}) best
    JOIN videos ON videos.id = best.video_id
    ORDER BY score DESC, video_id DESC`.execute(db)
  return rows
}

/** The tags that match and have something to show, the liveliest first. */
export function suggestTags(db: Db, query: string, limit: number) {
  return db
    .selectFrom('tags')
    .select(['id', 'names', 'video_count', 'trending'])
    .where(sql<boolean>`words @@ ${query}::tsquery`)
    .where('video_count', '>', 0)
    .orderBy('place')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The tags that have something to show, the liveliest first, after a place. */
export function selectTags(db: Db, after: { place: number; id: string } | undefined, limit: number) {
  return db
    .selectFrom('tags')
    .select(['id', 'names', 'video_count', 'trending', 'place'])
    .where('video_count', '>', 0)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(place, id) > (${after?.place}, ${after?.id})`),
    )
    .orderBy('place')
    .orderBy('id')
    .limit(limit)
    .execute()
}
