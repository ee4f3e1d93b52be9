import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

/** A published video's position in the order of release. */
export interface ReleasedVideo {
  at: Date
  id: string
}

const isReleased = sql<boolean>`state = 'published' AND released_at IS NOT NULL`

/**
 * SQL condition: true for about one of 2,048 videos, chosen by a hash of the id. Each file of the sitemap starts with
 * such a video and ends before the next one, so a change of one video changes only one file, and no read counts videos.
 * The index `videos_sitemap_starts` has this condition.
 */
const startsFile = sql<boolean>`(hashtext(id) & 2047) = 0`

const firstVideo = sql`SELECT released_at, id FROM videos WHERE ${isReleased} ORDER BY released_at, id LIMIT 1`

/** Returns the first video of each file of the sitemap, in the order of release. The first file starts with any video. */
export async function selectSitemapStarts(db: Db): Promise<ReleasedVideo[]> {
  const { rows } = await sql<ReleasedVideo>`
    SELECT released_at AS at, id FROM videos WHERE ${isReleased} AND ${startsFile}
    UNION (${firstVideo})
    ORDER BY at, id`.execute(db)
  return rows
}

/** Returns whether a file of the sitemap starts with this video. */
export async function isSitemapStart(db: Db, { at, id }: ReleasedVideo): Promise<boolean> {
  const { rows } = await sql`
    SELECT FROM videos WHERE id = ${id} AND released_at = ${at} AND ${isReleased}
      AND (${startsFile} OR id = (SELECT id FROM (${firstVideo}) first))`.execute(db)
  return rows.length > 0
}

/** Lists the videos of a sitemap's file that follow the given video, in the order of release. */
export async function listSitemapVideosAfter(
  db: Db,
  { at, id }: ReleasedVideo,
  limit: number,
): Promise<ReleasedVideo[]> {
  const { rows } = await sql<ReleasedVideo & { isStart: boolean }>`
    SELECT released_at AS at, id, ${startsFile} AS "isStart" FROM videos
    WHERE ${isReleased} AND (released_at, id) > (${at}::timestamptz, ${id})
    ORDER BY released_at, id LIMIT ${limit}`.execute(db)
  const end = rows.findIndex(({ isStart }) => isStart)
  return end === -1 ? rows : rows.slice(0, end)
}
