import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '#server/tables.ts'
import { selectCards, type CardRow } from '#server/features/catalog/queries.ts'

/** A position in a list: after the video with this key (a time as text, or a number) and id. */
export interface ListPosition<Key = string | number> {
  key: Key
  id: string
  /** In a list by popularity: which of the videos that rise past the position are still to be listed, by version and then video. */
  rankChanges?: { from: number; after: string }
}

/** A card with the sort value of its list. */
export type ListedRow = CardRow & { key: Date | number | null; version?: number; risen?: number | null }

/** The current ranking version in the snapshot of the statement. */
export const currentRankingVersion = sql<number>`(SELECT version FROM ranking_versions)`

/**
 * Returns the position after the last row of a page in a list by popularity. A row that had risen does not change the position in
 * the ranking.
 */
export function positionAfter<Key>(
  last: { id: string; key: Key; version: number; risen?: number | null },
  previous: Required<ListPosition<Key>> | undefined,
): Required<ListPosition<Key>> {
  if (previous && typeof last.risen === 'number')
    return { ...previous, rankChanges: { from: last.risen, after: last.id } }
  return { key: last.key, id: last.id, rankChanges: { from: last.version + 1, after: '' } }
}

/** A position with its values, or with placeholders in a prepared statement. */
interface PositionValues {
  key: unknown
  id: unknown
  rankChanges?: { from: unknown; after: unknown }
}

/**
 * Condition: a video was after this position when its page was read, and has risen to it or past it since, by a row of
 * `rank_changes`. Only one of its rows passes the position. The rows are immutable, so none of them is listed twice either.
 */
export function hasRisenPast({ key, id, rankChanges }: PositionValues): RawBuilder<SqlBool> {
  const { from, after } = rankChanges ?? { from: 0, after: '' }
  return sql<SqlBool>`int8range(rank_changes.previous, rank_changes.popularity, '[]') @> ${key}::bigint
    AND (rank_changes.previous, rank_changes.video_id) < (${key}, ${id}) AND (rank_changes.popularity, rank_changes.video_id) >= (${key}, ${id})
    AND (rank_changes.version, rank_changes.video_id) > (${from}, ${after})`
}

/** Orders risen videos first, in the order of rising: `risen` is the version, or null. */
export function risenFirst(risen: RawBuilder<unknown>, videoId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${risen} NULLS LAST, CASE WHEN ${risen} IS NOT NULL THEN ${videoId} END`
}

/** A list by popularity: the matching rows of a table, by their video. */
interface PopularityList {
  from: RawBuilder<unknown>
  videoId: RawBuilder<string>
  popularity: RawBuilder<number>
  condition: Expression<SqlBool>
}

/**
 * Selects a further page of a list by popularity: first the videos that have risen past the position since its page was read, then
 * those after it. Each part is found by one index.
 */
export function selectPopularAfter(
  db: Db,
  { from, videoId, popularity, condition }: PopularityList,
  position: ListPosition,
  limit: number,
): Promise<ListedRow[]> {
  const page = sql<{ id: string; key: number; risen: number | null }>`(
    (SELECT ${videoId} AS id, ${popularity} AS key, NULL::bigint AS risen FROM ${from}
      WHERE ${condition} AND (${popularity}, ${videoId}) < (${position.key}, ${position.id})
      ORDER BY ${popularity} DESC, ${videoId} DESC LIMIT ${limit})
    UNION ALL
    (SELECT ${videoId}, ${popularity}, rank_changes.version FROM rank_changes JOIN ${from} ON ${videoId} = rank_changes.video_id
      WHERE ${condition} AND ${hasRisenPast(position)} ORDER BY rank_changes.version, rank_changes.video_id LIMIT ${limit})
  )`
  return selectCards(db)
    .innerJoin(page.as('page'), 'page.id', 'videos.id')
    .select(['page.key', 'page.risen', currentRankingVersion.as('version')])
    .orderBy(sql`${risenFirst(sql`page.risen`, sql`page.id`)}, page.key DESC, page.id DESC`)
    .limit(limit)
    .execute()
}
