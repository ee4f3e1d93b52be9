import type { Pool, PoolClient } from 'pg'
import {
  prepareForFilling,
  dropIndexes,
  insertRows,
  isStepPending,
  makeIndexes,
  runStepOnce,
  type ProgressReport,
  type Step,
} from '#bench/site/fill-tables.ts'
import { tierSizes } from '#server/features/catalog/ranking/rank-queries.ts'
import { randomTexts } from './random-words.ts'

/** The number of videos and users in a catalogue. */
export interface CatalogueSize {
  videos: number
  people: number
  /** Number of users with a history. */
  watchers: number
  /** Number of videos that each user with a history has watched. */
  historyEach: number
}

/**
 * Number of videos whose search rows are created by the site's function, which takes 4 ms for each video. The search
 * rows of all other videos are copies of these rows, which are repeated as often as necessary.
 */
const indexedBySite = 100_000

const tagCount = (videos: number) => Math.min(2000, Math.max(40, Math.round(videos / 20)))

/**
 * SQL that creates the function `bench_id` and an asset. The function returns the id of the row with a number. Every
 * episode uses the asset.
 */
const beginnings = `CREATE FUNCTION bench_id(kind text, number bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT
  RETURN kind || '_' || md5(kind || number);
  INSERT INTO assets (id, folder, state, source_name, source_hash, width, height, duration_ms, has_audio)
    VALUES ('ast_bench', 'ast_bench', 'ready', '01.mp4', 'bench', 720, 1280, 60000, true)`

/** Tables that are loaded without triggers, foreign keys and secondary indexes. */
const loaded = [
  'videos',
  'video_tags',
  'episodes',
  'video_search',
  'search_words',
  'watched_next',
  'users',
  'watch_history',
]

/**
 * Fills an empty, migrated database with generated videos, tags, episodes, users and history. An interrupted run is
 * resumed.
 */
export async function fillCatalogue(pool: Pool, size: CatalogueSize, report: ProgressReport): Promise<void> {
  const client = await pool.connect()
  try {
    await prepareForFilling(client)
    await runStepOnce(client, 'beginnings', () => client.query(beginnings))
    await runStepOnce(client, 'indexes dropped', () => dropIndexes(client, loaded))
    for (const step of stepsOf(size)) await insertRows(client, step, report)
    // Does what the triggers would do, before the indexes are created.
    await runStepOnce(client, 'tags listed', () =>
      client.query('UPDATE videos SET tag_ids = tag_ids_of_video(id)'),
    )
    await runStepOnce(client, 'tiers set', () => arrange(client))
    await makeIndexes(client, loaded, report)
    await runStepOnce(client, 'counted', () => finish(client))
    if (!(await isStepPending(client, 'vacuumed'))) return
    await client.query(`VACUUM ANALYZE ${[...loaded, 'tags', 'categories'].join(', ')}`)
    await runStepOnce(client, 'vacuumed', async () => {})
  } finally {
    client.release(true)
  }
}

function stepsOf({ videos, people, watchers, historyEach }: CatalogueSize): Step[] {
  const texts = (words: number) => (rows: number) =>
    Array.from({ length: rows }, () => randomTexts(words, videos))
  const tags = tagCount(videos)
  return [
    {
      name: 'categories',
      total: 520,
      chunk: 520,
      sql: `INSERT INTO categories (id, slug, names, position)
        SELECT bench_id('cat', n), 'category-' || n, ($3::jsonb[])[(1 + n - $1)::int], n FROM generate_series($1::bigint, $2) n`,
      texts: (rows) => [texts(1)(rows)],
    },
    {
      name: 'tags',
      total: tags,
      chunk: tags,
      sql: `INSERT INTO tags (id, slug, names, trending_score)
        SELECT bench_id('tag', n), 'tag-' || n, ($3::jsonb[])[(1 + n - $1)::int], 1000.0 / n FROM generate_series($1::bigint, $2) n`,
      texts: (rows) => [texts(1)(rows)],
    },
    {
      name: 'videos',
      total: videos,
      chunk: 5000,
      // Few videos have many plays, most have few. A video's age and plays are independent.
      sql: `INSERT INTO videos (id, slug, titles, synopses, category_id, state, featured, free_episodes, episode_count,
          currency, episode_cents, video_cents, play_count, popularity, released_at)
        SELECT bench_id('vid', n), 'video-' || n, title, synopsis,
          bench_id('cat', 1 + floor(20 * random() ^ 2)::bigint), 'published', n % ${Math.max(1, Math.round(videos / 200))} = 0, 3, 1,
          'USD', 99, 999, plays, plays, now() - n * interval '1 minute'
        FROM (SELECT n, title, synopsis, floor(${videos * 10} / (1 + abs(hashint8(n)::bigint) % ${videos}))::bigint AS plays
          FROM unnest($3::jsonb[], $4::jsonb[]) WITH ORDINALITY made(title, synopsis, place),
            LATERAL (SELECT $1::bigint + place - 1 AS n) numbered WHERE n <= $2::bigint) counted`,
      texts: (rows) => [texts(3)(rows), texts(12)(rows)],
    },
    {
      name: 'tags of videos',
      total: videos,
      chunk: 20_000,
      sql: `INSERT INTO video_tags (video_id, tag_id, position, released_at, popularity)
        SELECT id, bench_id('tag', floor(${tags} ^ random())::bigint), place, released_at, popularity
        FROM generate_series($1::bigint, $2) n JOIN videos ON id = bench_id('vid', n), generate_series(0, 3) place
        ON CONFLICT DO NOTHING`,
    },
    {
      name: 'episodes',
      total: videos,
      chunk: 50_000,
      sql: `INSERT INTO episodes (id, video_id, number, asset_id) SELECT bench_id('ep', n), bench_id('vid', n), 1, 'ast_bench'
        FROM generate_series($1::bigint, $2) n`,
    },
    {
      name: 'search',
      total: Math.min(videos, indexedBySite),
      chunk: 500,
      sql: `SELECT index_videos(ARRAY(SELECT bench_id('vid', n) FROM generate_series($1::bigint, $2) n))`,
    },
    {
      name: 'further search rows',
      total: Math.max(0, videos - indexedBySite),
      chunk: 20_000,
      sql: `INSERT INTO video_search (video_id, popularity_score, released_at, words)
        SELECT id, popularity_score_of(popularity), videos.released_at, source.words
        FROM generate_series($1::bigint, $2) n JOIN videos ON id = bench_id('vid', ${indexedBySite} + n)
        JOIN video_search source ON source.video_id = bench_id('vid', 1 + (n - 1) % ${indexedBySite})
        ON CONFLICT DO NOTHING`,
    },
    {
      name: 'recommendations',
      total: Math.round(videos / 2),
      chunk: 10_000,
      sql: `INSERT INTO watched_next (video_id, next_id, viewers)
        SELECT bench_id('vid', n), bench_id('vid', 1 + (n * 31 + place * 7919) % ${videos}), 1 + (n * place) % 50
        FROM generate_series($1::bigint, $2) n, generate_series(1, 20) place ON CONFLICT DO NOTHING`,
    },
    {
      name: 'users',
      total: people,
      chunk: 50_000,
      // Three of five users have an account.
      sql: `INSERT INTO users (id, referral_code, created_at, language, email, display_name, email_verified_at, member_since)
        SELECT bench_id('usr', n), 'bench-' || n, created, 'en', CASE WHEN is_member THEN n || '@example.com' END,
          CASE WHEN is_member THEN 'Person ' || n END, CASE WHEN is_member THEN now() END, CASE WHEN is_member THEN created END
        FROM generate_series($1::bigint, $2) n,
          LATERAL (SELECT now() - n * interval '${(300 * 86_400) / people} seconds' AS created, n % 5 < 3 AS is_member) made`,
    },
    {
      name: 'watch_history',
      total: watchers,
      chunk: 1000,
      // 7919 is a prime and divides none of the catalogue sizes, so no user has a video twice.
      sql: `INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at)
        SELECT bench_id('usr', n), bench_id('vid', video), bench_id('ep', video), 4000, now() - (n + place * 100) * interval '1 second'
        FROM generate_series($1::bigint, $2) n, generate_series(1, ${Math.min(historyEach, videos)}) place,
          LATERAL (SELECT 1 + (n * 104729 + place * 7919) % ${videos} AS video) picked`,
    },
  ]
}

/**
 * Sets the tiers of the videos (`tierSizes`) as the site's job does, so that the job changes nothing when it runs later.
 * Rewrites the table `video_search`, because an update of every row would double the size of the table. This does not
 * happen in a catalogue that grows gradually.
 */
async function arrange(client: PoolClient): Promise<void> {
  const fronts = tierSizes.map(
    ({ popular, newest }, index) => `WHEN by_plays <= ${popular} OR by_age <= ${newest} THEN ${index}`,
  )
  await client.query(
    `CREATE TEMPORARY TABLE placed (video_id text PRIMARY KEY, tier smallint);
     INSERT INTO placed SELECT id, CASE ${fronts.join(' ')} ELSE ${tierSizes.length} END
     FROM (SELECT id, row_number() OVER (ORDER BY popularity DESC, id DESC) AS by_plays,
       row_number() OVER (ORDER BY released_at DESC, id DESC) AS by_age FROM videos) counted;
     CREATE FUNCTION bench_tier(video text) RETURNS smallint LANGUAGE sql STABLE AS
       'SELECT tier FROM placed WHERE video_id = video';
     ALTER TABLE video_search ALTER tier TYPE smallint USING bench_tier(video_id);
     DROP FUNCTION bench_tier`,
  )
}

async function finish(client: PoolClient): Promise<void> {
  await client.query(
    `UPDATE tags SET video_count = counted.videos
     FROM (SELECT tag_id, count(*) AS videos FROM video_tags GROUP BY tag_id) counted WHERE tag_id = id`,
  )
}
