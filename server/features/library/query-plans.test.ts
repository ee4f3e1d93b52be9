import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createCatalog } from '#server/features/catalog/catalog.ts'
import { systemClock } from '#server/platform/clock.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { readExportParts } from '#server/testing/read-export-parts.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import type { Db, Tx } from '#server/tables.ts'
import { addFavorite, removeFavorites } from './change-favorites.ts'
import { purgeTombstones } from './counts/aggregate-counts.ts'
import { deletePlays, aggregateFavoriteBatch, aggregatePlayBatch } from './counts/count-queries.ts'
import { upsertHistories } from './history/history-queries.ts'
import { exportLibrary, loadViewerState, mergeLibrary } from './library.ts'
import { listFavorites, listHistory } from './list-history-and-favorites.ts'
import { removeFromHistory, savePosition } from './history/save-position.ts'

const now = new Date('2026-03-01T12:00:00Z')
const viewer = { userId: 'usr_7', role: 'member' as const, isStored: true }

/**
 * SQL that inserts 1,000 viewers, and 10,000 videos with a free and a locked episode each. Each viewer has 50 videos;
 * one viewer has 2,000. Foreign keys and triggers are disabled, because they would take most of the time.
 */
const crowd = `
  SET session_replication_role = replica;
  INSERT INTO users (id, referral_code) SELECT 'usr_' || n, 'code ' || n FROM generate_series(1, 1000) n;
  INSERT INTO videos (id, slug, titles, synopses, state, free_episodes, currency, episode_cents, video_cents, released_at)
    SELECT 'vid_' || n, 'drama-' || n, '{"en": "A"}', '{"en": "A"}', 'published', 1, 'USD', 99, 999, now()
    FROM generate_series(1, 10000) n;
  INSERT INTO assets (id, folder, state, source_name, source_hash, duration_ms)
    SELECT 'ast_' || n, 'ast_' || n, 'ready', '01.mp4', n, 60000 FROM generate_series(1, 20000) n;
  INSERT INTO episodes (id, video_id, number, asset_id)
    SELECT 'ep_' || n, 'vid_' || (n + 1) / 2, 2 - n % 2, 'ast_' || n FROM generate_series(1, 20000) n;
  CREATE TEMP TABLE pairs AS
    SELECT 'usr_' || u AS user_id, (u * 37 + i * 41) % 10000 + 1 AS video,
      timestamptz '2026-02-01' + (u * i % 9999) * interval '1 min' AS at
    FROM generate_series(1, 1000) u, generate_series(0, CASE u WHEN 7 THEN 1999 ELSE 49 END) i;
  INSERT INTO watch_history (user_id, video_id, episode_id, position_ms, at, removed)
    SELECT user_id, 'vid_' || video, 'ep_' || video * 2, 1, at, video % 50 = 0 FROM pairs;
  INSERT INTO favorites SELECT user_id, 'vid_' || video, at FROM pairs;
  INSERT INTO plays SELECT user_id, 'ep_' || video * 2, at, 'vid_' || video, video % 100 > 0 FROM pairs;
  INSERT INTO episode_views SELECT user_id, 'ep_' || video * 2, video % 2 = 0 FROM pairs;
  INSERT INTO play_count_changes (video_id, change) SELECT 'vid_' || video, 1 FROM pairs LIMIT 10000;
  INSERT INTO favorite_changes (user_id, video_id, change) SELECT user_id, 'vid_' || video, 1 FROM pairs LIMIT 10000;
  INSERT INTO unlocks SELECT user_id, 'vid_' || video, 'ep_' || video * 2, at FROM pairs WHERE video % 5 = 0;
  INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, expires_at)
    SELECT 'ord_' || n, 'usr_' || (n % 1000 + 1), 'video', 'paid', 999, 'USD', 'sandbox', 'card', 'a@example.com', now(), now()
    FROM generate_series(1, 10000) n;
  INSERT INTO entitlements (id, user_id, order_id, source, video_id, starts_at, ends_at)
    SELECT 'ent_' || n, 'usr_' || (n % 1000 + 1), 'ord_' || n,
      CASE WHEN n <= 1000 THEN 'subscription' ELSE 'purchase' END,
      CASE WHEN n > 1000 THEN 'vid_' || n END, timestamptz '2026-01-01' + n * interval '1 s', NULL
    FROM generate_series(1, 10000) n;
  DROP TABLE pairs;
  RESET session_replication_role;
  ANALYZE`

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(crowd)
}, 600_000)
afterAll(() => database.close())

/** Creates a catalog that caches nothing from one call to the next. */
const catalog = (db: Db) => ({ db, ...createCatalog(db, systemClock) })
const inTransaction =
  <T>(work: (tx: Tx) => Promise<T>) =>
  (db: Db) =>
    db.transaction().execute(work)

const position = { video_id: 'vid_11', episode_id: 'ep_22', position_ms: 5, at: now.toISOString() }

/** Matches a full scan of any table except the tags, which are few. */
const wholeTable = /Seq Scan on (?!tags|video_tags)/

describe('with 50,000 rows', () => {
  const calls: [name: string, queries: number, work: (db: Db) => Promise<unknown>][] = [
    ['a page of the history', 2, (db) => listHistory(catalog(db), viewer, {}, 'en', now)],
    [
      'a page of the unlocked videos',
      2,
      (db) => listHistory(catalog(db), viewer, { kind: 'unlocked' }, 'en', now),
    ],
    ['a page of favorites', 2, (db) => listFavorites(catalog(db), viewer, {}, 'en')],
    ["a video's personal part", 2, (db) => loadViewerState(db, viewer, 'vid_11')],
    [
      'a position of a subscriber',
      7,
      inTransaction((tx) => savePosition(tx, 'usr_7', position, now, async () => {})),
    ],
    ['an added favorite', 2, inTransaction((tx) => addFavorite(tx, 'usr_7', 'vid_11', now))],
    ['removed favorites', 1, inTransaction((tx) => removeFavorites(tx, 'usr_7', ['vid_11', 'vid_12']))],
    [
      'removed entries',
      1,
      inTransaction((tx) => removeFromHistory(tx, 'usr_7', { remove: ['vid_260', 'vid_301'] }, now)),
    ],
    [
      'a removal of videos without a history entry',
      2,
      inTransaction((tx) => removeFromHistory(tx, 'usr_7', { remove: ['vid_11', 'vid_12'] }, now)),
    ],
    [
      'a batch of first positions',
      1,
      inTransaction((tx) =>
        upsertHistories(
          tx,
          ['vid_11', 'vid_12'].map((video_id) => ({ ...position, user_id: 'usr_8', video_id, at: now })),
        ),
      ),
    ],
    ['a merge of a guest', 7, inTransaction((tx) => mergeLibrary(tx, 'usr_9', 'usr_10'))],
    ['an export', 6, (db) => readExportParts(exportLibrary(db, 'usr_8'))],
  ]

  it.each(calls)('%s takes %i queries, none with a full table scan', async (_name, queries, work) => {
    const plans = await queryPlans(database, work)
    expect(plans.filter(({ plan }) => wholeTable.test(plan))).toEqual([])
    expect(plans).toHaveLength(queries)
  })

  it('the next page of favorites is read along an index, and only up to the end of the page', async () => {
    const list = (db: Db, cursor?: string) => listFavorites(catalog(db), viewer, { limit: 5, cursor }, 'en')
    const { next_cursor } = await list(database.db)
    const [page] = await queryPlans(database, (db) => list(db, next_cursor ?? ''))
    expect(page?.plan).toContain('Limit')
    expect(page?.plan).toContain('Index')
    expect(page?.plan).not.toContain('Sort')
  })

  it('rows that a job counts or deletes are read by an index', async () => {
    const purge = inTransaction(async (tx) => {
      await aggregatePlayBatch(tx, 100)
      await aggregateFavoriteBatch(tx, 100)
      await deletePlays(tx, now, 100)
    })
    const plans = await queryPlans(database, purge, 'these values')
    expect(plans.filter(({ plan }) => wholeTable.test(plan))).toEqual([])
    expect(plans).toHaveLength(9)
  })

  it('tombstones are read once, each batch along the index after the previous one', async () => {
    const plans = await queryPlans(database, (db) => purgeTombstones(db, now, { limit: 500 }), 'these values')
    const { rows } = await database.pool.query('SELECT FROM watch_history WHERE removed')
    expect(plans).toHaveLength(Math.floor(rows.length / 500) + 1)
    expect(plans[0]?.plan).toContain('Index Scan using watch_history_tombstones')
    for (const { plan } of plans) {
      expect(plan).toMatch(/watch_history_tombstones.*\n\s*Index Cond: \(ROW\(user_id, video_id\) >/)
      expect(plan).not.toMatch(wholeTable)
    }
  })
})
