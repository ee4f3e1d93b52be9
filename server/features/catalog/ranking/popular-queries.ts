import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '#server/tables.ts'
import { selectCards, type CardRow } from '#server/features/catalog/queries.ts'

/** The position in a list: after the video with this key (a time as text, or a number) and id. */
export interface ListPlace<Key = string | number> {
  key: Key
  id: string
  /** Of a list by popularity: which of those that rise past the place are still to be given, by version and then video. */
  rankChanges?: { from: number; after: string }
}

/** A card with what its list is ordered by. */
export type ListedRow = CardRow & { key: Date | number | null; version?: number; risen?: number | null }

/** How far the ranks are refreshed, as the same statement sees them. */
export const versionNow = sql<number>`(SELECT version FROM ranking_versions)`

/** Where a list by popularity goes on after the last row of a page: one that had risen leaves its place in the ranking as it was. */
export function placeAfter<Key>(
  last: { id: string; key: Key; version: number; risen?: number | null },
  began: Required<ListPlace<Key>> | undefined,
): Required<ListPlace<Key>> {
  if (began && typeof last.risen === 'number')
    return { ...began, rankChanges: { from: last.risen, after: last.id } }
  return { key: last.key, id: last.id, rankChanges: { from: last.version + 1, after: '' } }
}

/** A place with its values, or with what stands for them in a text that is built once. */
interface WrittenPlace {
  key: unknown
  id: unknown
  rankChanges?: { from: unknown; after: unknown }
}

/**
 * That a video stood after this place when its page was read, and has risen to it or past it since: by a row of `rank_changes`, of which only one
 * passes the place. These rows never change, so that nothing among them is given twice either.
 */
export function roseTo({ key, id, rankChanges }: WrittenPlace): RawBuilder<SqlBool> {
  const { from, after } = rankChanges ?? { from: 0, after: '' }
  return sql<SqlBool>`int8range(rank_changes.previous, rank_changes.popularity, '[]') @> ${key}::bigint
    AND (rank_changes.previous, rank_changes.video_id) < (${key}, ${id}) AND (rank_changes.popularity, rank_changes.video_id) >= (${key}, ${id})
    AND (rank_changes.version, rank_changes.video_id) > (${from}, ${after})`
}

/** What has risen in front, as it rose: `risen` is the version, or null. */
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
    (SELECT ${videoId}, ${popularity}, rank_changes.version FROM rank_changes JOIN ${from} ON ${videoId} = rank_changes.video_id
      WHERE ${condition} AND ${roseTo(place)} ORDER BY rank_changes.version, rank_changes.video_id LIMIT ${limit})
  )`
  return selectCards(db)
    .innerJoin(page.as('page'), 'page.id', 'videos.id')
    .select(['page.key', 'page.risen', versionNow.as('version')])
    .orderBy(sql`${risenFirst(sql`page.risen`, sql`page.id`)}, page.key DESC, page.id DESC`)
    .limit(limit)
    .execute()
}
