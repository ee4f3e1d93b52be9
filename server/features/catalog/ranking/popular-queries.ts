import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import type { Db } from '#server/tables.ts'
import { selectCards, type CardRow } from '#server/features/catalog/queries.ts'

/** A position in a list: after the video with this id and this key (a time as text, or a number). */
export interface ListPosition<Key = string | number> {
  key: Key
  id: string
  /** For a list by popularity: rank changes up to this version and video id have already been listed. */
  rankChanges?: { from: number; after: string }
}

/**
 * A card with its sort value (`key`). In a list by popularity, `risen` is the
 * ranking version in which the video rose, or null.
 */
export type ListedRow = CardRow & { key: Date | number | null; version?: number; risen?: number | null }

/** The current ranking version in the snapshot of the statement. */
export const currentRankingVersion = sql<number>`(SELECT version FROM ranking_versions)`

/**
 * Returns the position after the last row of a page in a list by popularity. If that row was a risen video, only
 * `rankChanges` advances, and the position in the ranking stays the same.
 */
export function positionAfter<Key>(
  last: { id: string; key: Key; version: number; risen?: number | null },
  previous: Required<ListPosition<Key>> | undefined,
): Required<ListPosition<Key>> {
  if (previous && typeof last.risen === 'number')
    return { ...previous, rankChanges: { from: last.risen, after: last.id } }
  return { key: last.key, id: last.id, rankChanges: { from: last.version + 1, after: '' } }
}

/** The values of a position, or their placeholders in a prepared statement. */
interface PositionValues {
  key: unknown
  id: unknown
  rankChanges?: { from: unknown; after: unknown }
}

/**
 * SQL condition: true if this row of `rank_changes` raised its video from below the position to the position itself or
 * above. Only one row of a video can pass the position, and rows never change, so no video is listed twice.
 */
export function hasRisenPast({ key, id, rankChanges }: PositionValues): RawBuilder<SqlBool> {
  const { from, after } = rankChanges ?? { from: 0, after: '' }
  return sql<SqlBool>`int8range(rank_changes.previous, rank_changes.popularity, '[]') @> ${key}::bigint
    AND (rank_changes.previous, rank_changes.video_id) < (${key}, ${id}) AND (rank_changes.popularity, rank_changes.video_id) >= (${key}, ${id})
    AND (rank_changes.version, rank_changes.video_id) > (${from}, ${after})`
}

/**
 * Sorts risen videos first, in the order in which they rose. `risen` is the ranking version of a risen video, or null.
 */
export function risenFirst(risen: RawBuilder<unknown>, videoId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${risen} NULLS LAST, CASE WHEN ${risen} IS NOT NULL THEN ${videoId} END`
}

/**
 * A list by popularity: the rows of a table that match a condition, each with its video and that video's popularity.
 */
interface PopularityList {
  from: RawBuilder<unknown>
  videoId: RawBuilder<string>
  popularity: RawBuilder<number>
  condition: Expression<SqlBool>
}

/**
 * Selects a further page of a list by popularity. First are the videos that have risen past the position since the
 * previous page was read. The videos after the position follow. Each part is read along one index.
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
