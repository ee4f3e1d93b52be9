import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Db } from '#server/tables.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { selectVideos } from './cards/list-queries.ts'
import { isSitemapStart, selectSitemapStarts } from './listing/sitemap-queries.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(`
    SET session_replication_role = replica;
    INSERT INTO videos (id, slug, titles, synopses, state, featured, popularity, free_episodes, currency, episode_cents, video_cents, released_at)
      SELECT 'vid_' || n, n, '{"en": "A"}', '{"en": ""}', 'published', n % 20 = 0, n * 7 % 5000, 0, 'USD', 99, 999, now() - n * interval '1 minute'
      FROM generate_series(1, 20000) n;
    RESET session_replication_role;
    ANALYZE videos`)
}, 600_000)
afterAll(() => database.close())

async function planOf(work: (db: Db) => Promise<unknown>): Promise<string> {
  return (await queryPlans(database, work)).map(({ plan }) => plan).join()
}

it('featured videos by popularity are read along an index, page by page', async () => {
  const after = { key: 2000, id: 'vid_7', rankChanges: { from: 1, after: '' } }
  for (const position of [undefined, after]) {
    const plan = await planOf((db) => selectVideos(db, { by: 'featured' }, 'popular', position, 20))
    expect(plan).toContain('Scan Backward using videos_featured_popular')
  }
})

it('the index of the sitemap, and the name of a file, are read by an index of few videos', async () => {
  expect(await planOf(selectSitemapStarts)).toContain('videos_sitemap_starts')
  const plan = await planOf((db) => isSitemapStart(db, { at: new Date(), id: 'vid_7' }))
  expect(plan).toMatch(/using videos_(pkey|newest)/)
  expect(plan).not.toContain('Seq Scan')
})
