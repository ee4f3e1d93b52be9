import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/*
 * Several processes may do this at once: rows are taken with SKIP LOCKED, and tags are locked in the order of their slugs,
 * as they are when a video is published.
 */

/**
 * Brings what lists are ordered by up to date for a batch of the videos that were played since, and lets their tags have the
 * plays as heat. From where to where each rose is noted as one generation, for whoever is turning pages just now. None sinks, also
 * where plays that were counted twice were taken off: under a cursor it would come again.
 * @returns how many videos
 */
export async function refreshPlayed(tx: Tx, most: number, now: Date): Promise<number> {
  // Held until the end, so that generations come into sight in their order.
  await sql`UPDATE ranks SET generation = generation + 1`.execute(tx)
  const { rows } = await sql<{ refreshed: number }>`
    WITH due AS (
      SELECT video_id FROM played_videos ORDER BY video_id LIMIT ${most} FOR UPDATE SKIP LOCKED
    ), locked AS MATERIALIZED (
      SELECT id, greatest(play_count, popularity) AS popularity, videos.popularity AS former
      FROM videos JOIN due ON due.video_id = id FOR NO KEY UPDATE OF videos SKIP LOCKED
    ), taken AS (
      DELETE FROM played_videos USING locked WHERE video_id = locked.id RETURNING video_id, plays
    ), ranked AS (
      UPDATE videos SET popularity = locked.popularity FROM locked WHERE videos.id = locked.id
    ), risen AS (
      INSERT INTO rises (video_id, generation, former, popularity, at)
      SELECT id, generation, former, popularity, ${now} FROM locked, ranks WHERE popularity > former
    ), listed AS (
      UPDATE video_tags SET popularity = locked.popularity FROM locked WHERE video_id = locked.id
    ), famed AS (
      UPDATE video_search SET fame = fame_of(locked.popularity) FROM locked
      WHERE video_id = locked.id AND fame <> fame_of(locked.popularity)
    ), heated AS (
      SELECT tag_id, sum(plays) AS plays FROM taken JOIN video_tags USING (video_id) GROUP BY tag_id
    ), hot AS MATERIALIZED (
      SELECT id, plays FROM tags JOIN heated ON tag_id = id ORDER BY slug FOR NO KEY UPDATE OF tags
    ), warmed AS (
      UPDATE tags SET heat = heat + hot.plays FROM hot WHERE tags.id = hot.id
    )
    SELECT count(*)::int AS refreshed FROM taken`.execute(tx)
  return rows[0]?.refreshed ?? 0
}

/** Forgets what rose before `before`. */
export async function deleteRises(db: Db, before: Date): Promise<void> {
  await sql`DELETE FROM rises WHERE at < ${before}`.execute(db)
}

/** Lets the heat of all tags fade to `left` of what it was. */
export async function fadeTags(db: Db, left: number): Promise<void> {
  await sql`
    WITH locked AS MATERIALIZED (
      SELECT id FROM tags WHERE heat > 0 ORDER BY slug FOR NO KEY UPDATE
    )
    UPDATE tags SET heat = CASE WHEN heat * ${left}::float8 < 0.01 THEN 0 ELSE heat * ${left}::float8 END
    FROM locked WHERE tags.id = locked.id`.execute(db)
}

/**
 * Gives every tag its place, by heat and then by its videos; the first `trendingTags` that are warm at all are trending. What
 * place it had is kept until the next time, for whoever is turning the pages of the tags just now.
 */
export async function placeTags(tx: Tx, trendingTags: number): Promise<void> {
  // Held until the end, and before any tag, as where plays are brought up to date.
  await sql`UPDATE ranks SET tags_generation = tags_generation + 1`.execute(tx)
  await sql`
    WITH locked AS MATERIALIZED (
      SELECT id, slug, heat, video_count, place AS former FROM tags ORDER BY slug FOR NO KEY UPDATE
    ), ranked AS (
      SELECT id, former, place, place <= ${trendingTags} AND heat >= 0.5 AS trending FROM (
        SELECT *, row_number() OVER (ORDER BY heat DESC, video_count DESC, slug) AS place FROM locked
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
    )
    UPDATE video_search SET shelf = misplaced.shelf FROM misplaced
    WHERE video_search.video_id = misplaced.video_id AND video_search.shelf <> misplaced.shelf`.execute(db)
  return Number(numAffectedRows ?? 0)
}
