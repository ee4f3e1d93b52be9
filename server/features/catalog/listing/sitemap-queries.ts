import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

/** A published video's position in the order of release. */
export interface ReleasedVideo {
  at: Date
  id: string
}

/**
 * Returns the first video of each page of `size` published videos, in the order of release. The query is an index-only
 * scan.
 */
export async function selectSitemapPageStarts(db: Db, size: number): Promise<ReleasedVideo[]> {
  const { rows } = await sql<ReleasedVideo>`
    WITH RECURSIVE starts AS (
      (SELECT released_at, id FROM videos WHERE state = 'published' ORDER BY released_at, id LIMIT 1)
      UNION ALL
      SELECT next.released_at, next.id FROM starts CROSS JOIN LATERAL (
        SELECT released_at, id FROM videos
        WHERE state = 'published' AND (released_at, id) > (starts.released_at, starts.id)
        ORDER BY released_at, id OFFSET ${size - 1} LIMIT 1
      ) AS next
    )
    SELECT released_at AS at, id FROM starts WHERE released_at IS NOT NULL`.execute(db)
  return rows
}

/** Lists published videos in the order of release, beginning with the given video. */
export async function listVideosFrom(
  db: Db,
  { at, id }: ReleasedVideo,
  limit: number,
): Promise<ReleasedVideo[]> {
  const { rows } = await sql<ReleasedVideo>`
    SELECT released_at AS at, id FROM videos
    WHERE state = 'published' AND (released_at, id) >= (${at}::timestamptz, ${id})
    ORDER BY released_at, id LIMIT ${limit}`.execute(db)
  return rows
}
