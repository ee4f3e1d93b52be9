import { sql, type RawBuilder } from 'kysely'
import { deleteExpired } from '#server/platform/database/delete-expired.ts'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Several processes may refresh ranks concurrently. Played videos are claimed with SKIP LOCKED. Tags are locked in the
 * order of their slugs, as when a video is published. A separate statement locks the tags before they are updated (see
 * `lockRows` in add-to-counters.ts).
 */

/**
 * Updates the popularity of a batch of videos that were played since the last ranking. Adds the plays to the trending
 * scores of the videos' tags. The rank changes of a batch share one ranking version. They are stored for viewers who
 * are paging at this moment. Popularity never decreases, even if duplicate plays were subtracted. Otherwise, a listed
 * video could appear again on a later page.
 * @returns how many videos were updated
 */
export async function refreshPlayedVideos(tx: Tx, limit: number, now: Date): Promise<number> {
  // The lock lasts until the transaction ends, so that ranking versions become visible in order.
  await sql`UPDATE ranking_versions SET version = version + 1`.execute(tx)
  const ids = await lockPlayedVideos(tx, limit)
  if (ids.length === 0) return 0
  await lockTags(tx, sql`id IN (SELECT tag_id FROM video_tags WHERE video_id = ANY(${ids}))`)
  await sql`
    WITH played AS MATERIALIZED (
      SELECT id, greatest(play_count, popularity) AS popularity, popularity AS previous FROM videos WHERE id = ANY(${ids})
    ), taken AS (
      DELETE FROM unranked_plays WHERE video_id = ANY(${ids}) RETURNING video_id, plays
    ), ranked AS (
      UPDATE videos SET popularity = played.popularity FROM played WHERE videos.id = played.id
    ), risen AS (
      INSERT INTO rank_changes (video_id, version, previous, popularity, at)
      SELECT id, version, previous, popularity, ${now} FROM played, ranking_versions WHERE popularity > previous
    ), listed AS (
      UPDATE video_tags SET popularity = played.popularity FROM played WHERE video_id = played.id
    ), scored AS MATERIALIZED (
      SELECT video_id, popularity_score_of(popularity) AS popularity_score FROM video_search JOIN played ON video_id = id
      WHERE popularity_score <> popularity_score_of(popularity) ORDER BY video_id FOR NO KEY UPDATE OF video_search
    ), rescored AS (
      UPDATE video_search SET popularity_score = scored.popularity_score FROM scored WHERE video_search.video_id = scored.video_id
    ), scored_tags AS (
      SELECT tag_id, sum(plays) AS plays FROM taken JOIN video_tags USING (video_id) GROUP BY tag_id
    )
    UPDATE tags SET trending_score = trending_score + scored_tags.plays FROM scored_tags WHERE tags.id = scored_tags.tag_id`.execute(
    tx,
  )
  return ids.length
}

/** Locks a batch of played videos, with their rows of `unranked_plays`. @returns their ids */
async function lockPlayedVideos(tx: Tx, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH due AS (
      SELECT video_id FROM unranked_plays ORDER BY video_id LIMIT ${limit} FOR UPDATE SKIP LOCKED
    )
    SELECT id FROM videos JOIN due ON due.video_id = id FOR NO KEY UPDATE OF videos SKIP LOCKED`.execute(tx)
  return rows.map(({ id }) => id)
}

/** Locks tags in the order of their slugs, byte by byte as JavaScript compares them. */
async function lockTags(tx: Tx, condition: RawBuilder<unknown>): Promise<void> {
  await sql`SELECT count(*) FROM (
    SELECT id FROM tags WHERE ${condition} ORDER BY slug COLLATE "C" FOR NO KEY UPDATE) locked`.execute(tx)
}

/** Deletes rank changes from before the time `before`. */
export function deleteRankChanges(db: Db, before: Date): Promise<void> {
  return deleteExpired(db, { table: 'rank_changes', time: 'at', before })
}

/** Multiplies the trending score of all tags by `factor`. */
export async function decayTrendingScores(tx: Tx, factor: number): Promise<void> {
  await lockTags(tx, sql`trending_score > 0`)
  await sql`
    UPDATE tags SET trending_score = CASE WHEN trending_score * ${factor}::float8 < 0.01 THEN 0 ELSE trending_score * ${factor}::float8 END
    WHERE trending_score > 0`.execute(tx)
}

/**
 * Ranks all tags by their trending score, then by their number of videos. The first `trendingTags` tags with a score
 * are trending. Each tag's previous rank is stored until the next ranking, for viewers who are paging through the tags
 * at this moment.
 */
export async function rankTags(tx: Tx, trendingTags: number): Promise<void> {
  // As in `refreshPlayedVideos`, this lock is taken before any tag is locked, and lasts until the transaction ends.
  await sql`UPDATE ranking_versions SET tags_version = tags_version + 1`.execute(tx)
  await lockTags(tx, sql`true`)
  await sql`
    WITH ranked AS (
      SELECT id, previous, rank, rank <= ${trendingTags} AND trending_score >= 0.5 AS trending FROM (
        SELECT id, trending_score, rank AS previous, row_number() OVER (ORDER BY trending_score DESC, video_count DESC, slug) AS rank FROM tags
      ) numbered
    )
    UPDATE tags SET rank = ranked.rank, previous_rank = previous, trending = ranked.trending FROM ranked
    WHERE tags.id = ranked.id
      AND (tags.rank, previous_rank, tags.trending) IS DISTINCT FROM (ranked.rank, previous, ranked.trending)`.execute(
    tx,
  )
}

/**
 * Sizes of the search tiers: the number of most popular videos, and the number of newest videos. Each size includes the
 * tiers before it. One more tier has all other videos.
 */
export const tierSizes = [
  { popular: 300, newest: 150 },
  { popular: 1000, newest: 500 },
  { popular: 3000, newest: 1500 },
  { popular: 10_000, newest: 5000 },
  { popular: 30_000, newest: 15_000 },
  { popular: 100_000, newest: 50_000 },
  { popular: 300_000, newest: 150_000 },
]

/** A video and the search tier to which it must move. */
export interface TierMove {
  video_id: string
  tier: number
}

/**
 * Finds at most `limit` videos that are in the wrong search tier. Popular and new videos belong to the front tiers. The
 * number of rows read depends on the size of the front tiers, not on the size of the catalogue. Videos that belong
 * further back are first: a search stops when the front tiers have enough matches, so less popular videos must not stay
 * there.
 */
export async function selectTierMoves(db: Db, limit: number): Promise<TierMove[]> {
  const tierCase = (size: 'popular' | 'newest') =>
    sql`CASE ${sql.join(
      tierSizes.map((tier, index) => sql`WHEN place <= ${sql.lit(tier[size])} THEN ${sql.lit(index)}`),
      sql` `,
    )} END`
  const lastTier = tierSizes.at(-1) ?? { popular: 0, newest: 0 }
  const { rows } = await sql<TierMove>`
    WITH wanted AS MATERIALIZED (
      SELECT id, min(tier) AS tier FROM (
        SELECT id, ${tierCase('popular')} AS tier FROM (
          SELECT id, row_number() OVER (ORDER BY popularity DESC, id DESC) AS place FROM videos
          WHERE state = 'published' ORDER BY popularity DESC, id DESC LIMIT ${sql.lit(lastTier.popular)}
        ) popular
        UNION ALL
        SELECT id, ${tierCase('newest')} FROM (
          SELECT id, row_number() OVER (ORDER BY released_at DESC, id DESC) AS place FROM videos
          WHERE state = 'published' ORDER BY released_at DESC, id DESC LIMIT ${sql.lit(lastTier.newest)}
        ) newest
      ) both_ways GROUP BY id
    )
    SELECT video_id, wanted.tier FROM wanted JOIN video_search ON video_id = id WHERE video_search.tier <> wanted.tier
    UNION ALL
    SELECT video_id, ${sql.lit(tierSizes.length)} FROM video_search
    WHERE tier < ${sql.lit(tierSizes.length)} AND NOT EXISTS (SELECT FROM wanted WHERE id = video_id)
    ORDER BY tier DESC LIMIT ${limit}`.execute(db)
  return rows
}

/** Moves videos to other search tiers. */
export async function moveToTiers(tx: Tx, moves: readonly TierMove[]): Promise<void> {
  const ids = moves.map(({ video_id }) => video_id)
  const tiers = moves.map(({ tier }) => tier)
  await sql`
    WITH locked AS MATERIALIZED (
      SELECT video_id, move.tier FROM video_search JOIN unnest(${ids}::text[], ${tiers}::smallint[]) AS move (video_id, tier)
        USING (video_id)
      WHERE video_search.tier <> move.tier ORDER BY video_id FOR NO KEY UPDATE OF video_search
    )
    UPDATE video_search SET tier = locked.tier FROM locked WHERE video_search.video_id = locked.video_id`.execute(
    tx,
  )
}
