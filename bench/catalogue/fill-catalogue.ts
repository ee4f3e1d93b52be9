import type { Pool, PoolClient } from 'pg'
import { frontShelves } from '#server/features/catalog/rank-queries.ts'
import { madeUpTexts } from './made-up-words.ts'

/** How much of everything a catalogue of this many videos has. */
export interface CatalogueSize {
  videos: number
  history: number
}

interface Step {
  name: string
  /** Rows in all, and how many a transaction makes. */
  total: number
  chunk: number
  /** Makes the rows numbered $1 to $2. */
  sql: string
  /** More parameters: for each, a value for every row. */
  texts?: (rows: number) => string[][]
}

const tagCount = (videos: number) => Math.min(2000, Math.max(40, Math.round(videos / 20)))
const historyPerUser = 200

/** The id of a record by its number, and a file that every episode plays. */
const beginnings = `CREATE FUNCTION bench_id(kind text, number bigint) RETURNS text LANGUAGE sql IMMUTABLE STRICT
  RETURN kind || '_' || md5(kind || number);
  INSERT INTO assets (id, place, state, source_name, source_hash, width, height, duration_ms, has_audio)
    VALUES ('ast_bench', 'ast_bench', 'ready', '01.mp4', 'bench', 720, 1280, 60000, true)`

/** Tables that are loaded without their triggers, foreign keys and (but for keys) indexes. */
const loaded = ['videos', 'video_tags', 'episodes', 'video_search', 'search_words', 'watched_next', 'history']

/**
 * Fills an empty, migrated database with made-up videos, tags, episodes, users and history. Each transaction notes how far it
 * is, so a run that was stopped goes on where it was. The search rows are made by the site's own function.
 */
export async function fillCatalogue(
  pool: Pool,
  size: CatalogueSize,
  report: (line: string) => void,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('SET statement_timeout = 0; SET synchronous_commit = off')
    await client.query(
      'CREATE TABLE IF NOT EXISTS bench_progress (step text PRIMARY KEY, done bigint NOT NULL)',
    )
    await once(client, 'beginnings', () => client.query(beginnings))
    await once(client, 'indexes dropped', () => dropIndexes(client))
    for (const step of stepsOf(size)) await fill(client, step, report)
    await once(client, 'indexes made', () => makeIndexes(client, report))
    await once(client, 'counted', () => finish(client))
    await client.query(`VACUUM ANALYZE ${[...loaded, 'tags', 'users', 'categories'].join(', ')}`)
  } finally {
    client.release(true)
  }
}

async function once(client: PoolClient, name: string, work: () => Promise<unknown>): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM bench_progress WHERE step = $1', [name])
  if (rowCount) return
  await client.query('BEGIN')
  await work()
  await client.query('INSERT INTO bench_progress VALUES ($1, 1)', [name])
  await client.query('COMMIT')
}

async function fill(
  client: PoolClient,
  { name, total, chunk, sql, texts }: Step,
  report: (line: string) => void,
) {
  const { rows } = await client.query<{ done: string }>('SELECT done FROM bench_progress WHERE step = $1', [
    name,
  ])
  const begun = Number(rows[0]?.done ?? 0)
  const started = performance.now()
  let reported = started
  for (let done = begun; done < total;) {
    const upTo = Math.min(done + chunk, total)
    await client.query('BEGIN; SET LOCAL session_replication_role = replica')
    await client.query(sql, [done + 1, upTo, ...(texts?.(upTo - done) ?? [])])
    await client.query(
      'INSERT INTO bench_progress VALUES ($1, $2) ON CONFLICT (step) DO UPDATE SET done = excluded.done',
      [name, upTo],
    )
    await client.query('COMMIT')
    done = upTo
    const now = performance.now()
    if (now - reported > 5000 || done === total) {
      const left = ((now - started) / (done - begun)) * (total - done)
      report(
        `${name}: ${done} of ${total}${done < total ? `, ${Math.ceil(left / 1000)} s left` : `, ${Math.round((now - started) / 1000)} s`}`,
      )
      reported = now
    }
  }
}

function stepsOf({ videos, history }: CatalogueSize): Step[] {
  const texts = (words: number) => (rows: number) =>
    Array.from({ length: rows }, () => madeUpTexts(words, videos))
  const tags = tagCount(videos)
  const users = Math.max(1, Math.round(history / historyPerUser))
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
      sql: `INSERT INTO tags (id, slug, names, heat)
        SELECT bench_id('tag', n), 'tag-' || n, ($3::jsonb[])[(1 + n - $1)::int], 1000.0 / n FROM generate_series($1::bigint, $2) n`,
      texts: (rows) => [texts(1)(rows)],
    },
    {
      name: 'videos',
      total: videos,
      chunk: 5000,
      // A few are played a lot and most hardly; ages and plays have nothing to do with each other.
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
      total: videos,
      chunk: 500,
      sql: `SELECT index_videos(ARRAY(SELECT bench_id('vid', n) FROM generate_series($1::bigint, $2) n))`,
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
      total: users,
      chunk: 50_000,
      sql: `INSERT INTO users (id, referral_code) SELECT bench_id('usr', n), 'bench-' || n FROM generate_series($1::bigint, $2) n`,
    },
    {
      name: 'history',
      total: users,
      chunk: 1000,
      // 7919 divides none of the sizes, so nobody has a video twice.
      sql: `INSERT INTO history (user_id, video_id, episode_id, position_ms, at)
        SELECT bench_id('usr', n), bench_id('vid', video), bench_id('ep', video), 4000, now() - (n + place * 100) * interval '1 second'
        FROM generate_series($1::bigint, $2) n, generate_series(1, ${Math.min(historyPerUser, videos)}) place,
          LATERAL (SELECT 1 + (n * 104729 + place * 7919) % ${videos} AS video) picked`,
    },
  ]
}

/** All but those behind keys; what they were is kept for `makeIndexes`. */
async function dropIndexes(client: PoolClient): Promise<void> {
  await client.query(
    `CREATE TABLE bench_indexes AS SELECT indexname, indexdef FROM pg_indexes
     WHERE schemaname = current_schema() AND tablename = ANY($1)
       AND NOT EXISTS (SELECT FROM pg_constraint WHERE conname = indexname)`,
    [loaded],
  )
  const { rows } = await client.query<{ indexname: string }>('SELECT indexname FROM bench_indexes')
  for (const { indexname } of rows) await client.query(`DROP INDEX ${indexname}`)
}

async function makeIndexes(client: PoolClient, report: (line: string) => void): Promise<void> {
  await client.query("SET LOCAL maintenance_work_mem = '1GB'")
  await arrange(client)
  const { rows } = await client.query<{ indexname: string; indexdef: string }>('SELECT * FROM bench_indexes')
  for (const [index, { indexname, indexdef }] of rows.entries()) {
    await client.query(indexdef)
    report(`indexes: ${index + 1} of ${rows.length}, ${indexname}`)
  }
}

/** The shelves as the site's job would leave them. It is run too; this way it finds nothing to do. */
async function arrange(client: PoolClient): Promise<void> {
  const fronts = frontShelves.map(
    ({ popular, newest }, index) => `WHEN by_plays <= ${popular} OR by_age <= ${newest} THEN ${index}`,
  )
  await client.query(
    `UPDATE video_search SET shelf = CASE ${fronts.join(' ')} ELSE ${frontShelves.length} END
     FROM (SELECT id, row_number() OVER (ORDER BY popularity DESC, id DESC) AS by_plays,
       row_number() OVER (ORDER BY released_at DESC, id DESC) AS by_age FROM videos) placed
     WHERE id = video_id`,
  )
}

async function finish(client: PoolClient): Promise<void> {
  await client.query(
    `UPDATE tags SET video_count = counted.videos
     FROM (SELECT tag_id, count(*) AS videos FROM video_tags GROUP BY tag_id) counted WHERE tag_id = id`,
  )
}
