import { sql, type RawBuilder } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/*
 * Several processes may do this at once. Played videos are taken with SKIP LOCKED. Tags are locked in the order of their slugs,
 * as they are when a video is published, and in a statement of their own (see `lockRows`).
 */

/**
 * Updates what lists are ordered by for a batch of the videos that were played since, and adds the plays to the trending
 * score of their tags. The rank changes share one ranking version, for viewers who are turning pages at this moment. No video
 * sinks, even if plays that were counted twice were taken off: it would appear again below a cursor.
 * @returns how many videos
 */
export async function refreshPlayed(tx: Tx, most: number, now: Date): Promise<number> {
  // Locked until the end, so that ranking versions become visible in order.
  await sql`UPDATE ranks SET generation = generation + 1`.execute(tx)
  const ids = await lockPlayed(tx, most)
  if (ids.length === 0) return 0
  await lockTags(tx, sql`id IN (SELECT tag_id FROM video_tags WHERE video_id = ANY(${ids}))`)
  await sql`
    WITH played AS MATERIALIZED (
      SELECT id, greatest(play_count, popularity) AS popularity, popularity AS former FROM videos WHERE id = ANY(${ids})
    ), taken AS (
      DELETE FROM played_videos WHERE video_id = ANY(${ids}) RETURNING video_id, plays
    ), ranked AS (
      UPDATE videos SET popularity = played.popularity FROM played WHERE videos.id = played.id
    ), risen AS (
      INSERT INTO rises (video_id, generation, former, popularity, at)
      SELECT id, generation, former, popularity, ${now} FROM played, ranks WHERE popularity > former
    ), listed AS (
      UPDATE video_tags SET popularity = played.popularity FROM played WHERE video_id = played.id
    ), scored AS MATERIALIZED (
      SELECT video_id, fame_of(popularity) AS fame FROM video_search JOIN played ON video_id = id
      WHERE fame <> fame_of(popularity) ORDER BY video_id FOR NO KEY UPDATE OF video_search
    ), famed AS (
      UPDATE video_search SET fame = scored.fame FROM scored WHERE video_search.video_id = scored.video_id
    ), heated AS (
      SELECT tag_id, sum(plays) AS plays FROM taken JOIN video_tags USING (video_id) GROUP BY tag_id
    )
    UPDATE tags SET heat = heat + heated.plays FROM heated WHERE tags.id = heated.tag_id`.execute(tx)
  return ids.length
}

/** Locks a batch of played videos, with their rows of `played_videos`. @returns their ids */
async function lockPlayed(tx: Tx, most: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH due AS (
      SELECT video_id FROM played_videos ORDER BY video_id LIMIT ${most} FOR UPDATE SKIP LOCKED
    )
    SELECT id FROM videos JOIN due ON due.video_id = id FOR NO KEY UPDATE OF videos SKIP LOCKED`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Locks tags in the order of their slugs, byte by byte as JavaScript compares them. */
async function lockTags(tx: Tx, which: RawBuilder<unknown>): Promise<void> {
  await sql`SELECT count(*) FROM (
    SELECT id FROM tags WHERE ${which} ORDER BY slug COLLATE "C" FOR NO KEY UPDATE) locked`.execute(tx)
}

/** Forgets what rose before `before`. */
export async function deleteRises(db: Db, before: Date): Promise<void> {
  await sql`DELETE FROM rises WHERE at < ${before}`.execute(db)
}

/** Multiplies the trending score of all tags by `left`. */
export async function fadeTags(tx: Tx, left: number): Promise<void> {
  await lockTags(tx, sql`heat > 0`)
  await sql`
    UPDATE tags SET heat = CASE WHEN heat * ${left}::float8 < 0.01 THEN 0 ELSE heat * ${left}::float8 END
    WHERE heat > 0`.execute(tx)
}

/**
 * Ranks all tags by their trending score and then by their videos. The first `trendingTags` with a score are trending. The
 * former place stays until the next time, for viewers who are turning the pages of the tags at this moment.
 */
export async function placeTags(tx: Tx, trendingTags: number): Promise<void> {
  // Locked until the end and before any tag, as in `refreshPlayed`.
  await sql`UPDATE ranks SET tags_generation = tags_generation + 1`.execute(tx)
  await lockTags(tx, sql`true`)
  await sql`
    WITH ranked AS (
      SELECT id, former, place, place <= ${trendingTags} AND heat >= 0.5 AS trending FROM (
        SELECT id, heat, place AS former, row_number() OVER (ORDER BY heat DESC, video_count DESC, slug) AS place FROM tags
      ) placed
    )
    UPDATE tags SET place = ranked.place, former_place = former, trending = ranked.trending FROM ranked
    WHERE tags.id = ranked.id
      AND (tags.place, former_place, tags.trending) IS DISTINCT FROM (ranked.place, former, ranked.trending)`.execute(
    tx,
  )
}

/** How many videos each shelf of the search holds by popularity, and how many new ones beside them; the last holds the rest. */
export const frontShelves = [
  { popular: 300, newest: 150 },
  { popular: 1000, newest: 500 },
  { popular: 3000, newest: 1500 },
  { popular: 10_000, newest: 5000 },
  { popular: 30_000, newest: 15_000 },
  { popular: 100_000, newest: 50_000 },
  { popular: 300_000, newest: 150_000 },
]

/**
 * Puts the popular and the new videos in front, `most` of those that stand elsewhere. It reads as many rows as the front shelves
 * hold, whatever the catalogue. What goes furthest back goes first: a search looks no further than a front that has plenty, so
 * none may leave it before those that are less known.
 * @returns how many were moved
 */
export async function arrangeShelves(db: Db, most: number): Promise<number> {
  const shelfOf = (size: 'popular' | 'newest') =>
    sql`CASE ${sql.join(
      frontShelves.map((shelf, index) => sql`WHEN place <= ${sql.lit(shelf[size])} THEN ${sql.lit(index)}`),
      sql` `,
    )} END`
  const deepest = frontShelves.at(-1) ?? { popular: 0, newest: 0 }
  const { numAffectedRows } = await sql`
    WITH wanted AS MATERIALIZED (
      SELECT id, min(shelf) AS shelf FROM (
        SELECT id, ${shelfOf('popular')} AS shelf FROM (
          SELECT id, row_number() OVER (ORDER BY popularity DESC, id DESC) AS place FROM videos
          WHERE state = 'published' ORDER BY popularity DESC, id DESC LIMIT ${sql.lit(deepest.popular)}
        ) popular
        UNION ALL
        SELECT id, ${shelfOf('newest')} FROM (
          SELECT id, row_number() OVER (ORDER BY released_at DESC, id DESC) AS place FROM videos
          WHERE state = 'published' ORDER BY released_at DESC, id DESC LIMIT ${sql.lit(deepest.newest)}
        ) newest
      ) both_ways GROUP BY id
    ), misplaced AS (
      SELECT video_id, wanted.shelf FROM wanted JOIN video_search ON video_id = id WHERE video_search.shelf <> wanted.shelf
      UNION ALL
      SELECT video_id, ${sql.lit(frontShelves.length)} FROM video_search
      WHERE shelf < ${sql.lit(frontShelves.length)} AND NOT EXISTS (SELECT FROM wanted WHERE id = video_id)
      ORDER BY shelf DESC LIMIT ${most}
    ), locked AS MATERIALIZED (
      SELECT video_id, misplaced.shelf FROM video_search JOIN misplaced USING (video_id)
      WHERE video_search.shelf <> misplaced.shelf ORDER BY video_id FOR NO KEY UPDATE OF video_search
    )
    UPDATE video_search SET shelf = locked.shelf FROM locked WHERE video_search.video_id = locked.video_id`.execute(
    db,
  )
  return Number(numAffectedRows ?? 0)
}
