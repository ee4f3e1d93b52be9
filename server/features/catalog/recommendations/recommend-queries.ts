import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/** A similar video, and its score (`key`). */
export interface SimilarVideo {
  id: string
  key: number
}

export interface SimilarOptions {
  /** Excluded videos, by the ends of their ids (`idSuffix`). */
  without: readonly string[]
  limit: number
}

/** The last 32 bits of an id. Ids are random, so these bits are enough to distinguish a few hundred ids. */
const idSuffixLength = 8

/** Returns a short form of an id, as a number in hexadecimal digits. */
export function idSuffix(id: string): string {
  return id.slice(-idSuffixLength)
}

/** Maximum number of videos on which recommendations are based. */
export const maxSeeds = 5

/**
 * Selects videos similar to the seeds, best first. Videos that were watched next score highest, then videos with common
 * tags, videos of the same category, and popular videos. A video that several sources find gets the sum of its scores.
 * Each source contributes only a few of its best videos, so the work does not grow with the catalogue.
 */
export async function selectSimilar(
  db: Db,
  seeds: readonly string[],
  { without, limit }: SimilarOptions,
): Promise<SimilarVideo[]> {
  // The number of rows is constant, so that PostgreSQL does not plan the query again for each call.
  const rows = Array.from({ length: maxSeeds }, (_, index) => sql`(${seeds[index] ?? null}::text)`)
  const { rows: similarVideos } = await sql<SimilarVideo>`
    WITH seeds AS (SELECT * FROM (VALUES ${sql.join(rows)}) given(id) WHERE id IS NOT NULL)
    SELECT id, sum(score)::int AS key FROM (
      SELECT next_id AS id, (ln(1 + viewers) * 1000)::int AS score
      FROM seeds CROSS JOIN LATERAL (
        SELECT next_id, viewers FROM watched_next WHERE video_id = seeds.id
        ORDER BY viewers DESC, next_id DESC LIMIT 50
      ) next JOIN videos ON videos.id = next_id AND videos.state = 'published'
      UNION ALL
      SELECT listed.video_id, 20
      FROM (SELECT DISTINCT tag_id FROM video_tags JOIN seeds ON video_id = seeds.id) own CROSS JOIN LATERAL (
        SELECT video_id FROM video_tags WHERE tag_id = own.tag_id AND released_at IS NOT NULL
        ORDER BY popularity DESC, video_id DESC LIMIT 30
      ) listed
      UNION ALL
      SELECT listed.id, 10
      FROM (SELECT DISTINCT category_id FROM videos JOIN seeds USING (id)) own CROSS JOIN LATERAL (
        SELECT id FROM videos WHERE category_id = own.category_id AND state = 'published'
        ORDER BY popularity DESC, id DESC LIMIT 30
      ) listed
      UNION ALL
      SELECT * FROM (
        SELECT id, 0 FROM videos WHERE state = 'published' ORDER BY popularity DESC, id DESC LIMIT 30
      ) popular
    ) candidates
    WHERE right(id, ${sql.lit(idSuffixLength)}) <> ALL(${without}) GROUP BY id
    ORDER BY key DESC, id DESC LIMIT ${limit}`.execute(db)
  return similarVideos
}

/** A video that a viewer watched after another one. */
export interface WatchedNext {
  videoId: string
  nextId: string
}

/**
 * Number of successors that remain when a video has more than `maxSuccessors`. Their counts (`viewers`) are halved, so
 * that new successors can rise.
 */
const successorsKept = 50
const maxSuccessors = 100

/**
 * Adds pairs of videos that were watched one after the other, and limits the number of each video's successors. Writes
 * the rows in a fixed order, to prevent deadlocks.
 */
export async function addWatchedNext(tx: Tx, pairs: readonly WatchedNext[]): Promise<void> {
  const from = pairs.map(({ videoId }) => videoId)
  const to = pairs.map(({ nextId }) => nextId)
  await sql`
    INSERT INTO watched_next (video_id, next_id, viewers)
    SELECT pair.video_id, pair.next_id, count(*)
    FROM unnest(${from}::text[], ${to}::text[]) pair(video_id, next_id)
    JOIN videos one ON one.id = pair.video_id JOIN videos other ON other.id = pair.next_id
    GROUP BY pair.video_id, pair.next_id ORDER BY pair.video_id, pair.next_id
    ON CONFLICT (video_id, next_id) DO UPDATE SET viewers = watched_next.viewers + excluded.viewers`.execute(
    tx,
  )
  await sql`
    WITH crowded AS (
      SELECT video_id FROM watched_next WHERE video_id = ANY(${from}) GROUP BY video_id HAVING count(*) > ${maxSuccessors}
    ), ranked AS MATERIALIZED (
      SELECT video_id, next_id, row_number() OVER (PARTITION BY video_id ORDER BY viewers DESC, next_id) AS place
      FROM watched_next JOIN crowded USING (video_id)
    ), locked AS MATERIALIZED (
      SELECT watched_next.*, place FROM watched_next JOIN ranked USING (video_id, next_id)
      ORDER BY video_id, next_id FOR UPDATE OF watched_next
    ), dropped AS (
      DELETE FROM watched_next USING locked
      WHERE watched_next.video_id = locked.video_id AND watched_next.next_id = locked.next_id AND place > ${successorsKept}
    )
    UPDATE watched_next SET viewers = (watched_next.viewers + 1) / 2 FROM locked
    WHERE watched_next.video_id = locked.video_id AND watched_next.next_id = locked.next_id AND place <= ${successorsKept}`.execute(
    tx,
  )
}
