import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '#server/tables.ts'
import { selectCards, type CardRow } from '#server/features/catalog/queries.ts'

/** The position in a list: after the video with this key (a time as text, or a number) and id. */
export interface ListPlace<Key = string | number> {
  key: Key
  id: string
  /** Of a list by popularity: which of those that rise past the place are still to be given, by generation and then video. */
  rises?: { from: number; after: string }
}

/** A card with what its list is ordered by. */
export type ListedRow = CardRow & { key: Date | number | null; generation?: number; risen?: number | null }

/** How far the ranks are refreshed, as the same statement sees them. */
export const generationNow = sql<number>`(SELECT generation FROM ranks)`

/** Where a list by popularity goes on after the last row of a page: one that had risen leaves its place in the ranking as it was. */
export function placeAfter<Key>(
  last: { id: string; key: Key; generation: number; risen?: number | null },
  began: Required<ListPlace<Key>> | undefined,
): Required<ListPlace<Key>> {
  if (began && typeof last.risen === 'number')
    return { ...began, rises: { from: last.risen, after: last.id } }
  return { key: last.key, id: last.id, rises: { from: last.generation + 1, after: '' } }
}

/** A place with its values, or with what stands for them in a text that is built once. */
interface WrittenPlace {
  key: unknown
  id: unknown
  rises?: { from: unknown; after: unknown }
}

/**
 * That a video stood after this place when its page was read, and has risen to it or past it since: by a row of `rises`, of which only one
 * passes the place. These rows never change, so that nothing among them is given twice either.
 */
export function roseTo({ key, id, rises }: WrittenPlace): RawBuilder<SqlBool> {
  const { from, after } = rises ?? { from: 0, after: '' }
  return sql<SqlBool>`int8range(rises.former, rises.popularity, '[]') @> ${key}::bigint
    AND (rises.former, rises.video_id) < (${key}, ${id}) AND (rises.popularity, rises.video_id) >= (${key}, ${id})
    AND (rises.generation, rises.video_id) > (${from}, ${after})`
}

/** What has risen in front, as it rose: `risen` is the generation, or null. */
export function risenFirst(risen: RawBuilder<unknown>, videoId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${risen} NULLS LAST, CASE WHEN ${risen} IS NOT NULL THEN ${videoId} END`
}

/** What is listed by its popularity: the rows of a table that fit, by their video. */
interface Ranked {
  from: RawBuilder<unknown>
  videoId: RawBuilder<string>
  popularity: RawBuilder<number>
  condition: Expression<SqlBool>
}

/**
 * A further page of a list by popularity: in front what has risen past the place since that page was read, then what comes after it.
 * Each of the two is found by one index.
 */
export function selectPopularAfter(
  db: Db,
  { from, videoId, popularity, condition }: Ranked,
  place: ListPlace,
  limit: number,
): Promise<ListedRow[]> {
  const page = sql<{ id: string; key: number; risen: number | null }>`(
    (SELECT ${videoId} AS id, ${popularity} AS key, NULL::bigint AS risen FROM ${from}
      WHERE ${condition} AND (${popularity}, ${videoId}) < (${place.key}, ${place.id})
      ORDER BY ${popularity} DESC, ${videoId} DESC LIMIT ${limit})
    UNION ALL
    (SELECT ${videoId}, ${popularity}, rises.generation FROM rises JOIN ${from} ON ${videoId} = rises.video_id
      WHERE ${condition} AND ${roseTo(place)} ORDER BY rises.generation, rises.video_id LIMIT ${limit})
  )`
  return selectCards(db)
    .innerJoin(page.as('page'), 'page.id', 'videos.id')
    .select(['page.key', 'page.risen', generationNow.as('generation')])
    .orderBy(sql`${risenFirst(sql`page.risen`, sql`page.id`)}, page.key DESC, page.id DESC`)
    .limit(limit)
    .execute()
}
