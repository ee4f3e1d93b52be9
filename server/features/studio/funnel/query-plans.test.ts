import { afterAll, beforeAll, expect, it } from 'vitest'
import { takeUnaggregatedSales } from '#server/features/billing/billing.ts'
import { loadEpisodeViewers } from '#server/features/library/library.ts'
import { recordEpisodeViews } from '#server/features/library/history/playback-queries.ts'
import { dequeueFunnelSteps } from '#server/features/tracking/tracking.ts'
import type { Db, Tx } from '#server/tables.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { selectRevenue, selectTokenCounts } from './funnel-queries.ts'
import { readFunnel } from './read-funnel.ts'
import { daySpanUntil } from '#server/platform/utc-days.ts'
import { splitIntoBuckets } from './day-buckets.ts'

const filled = `
  SET session_replication_role = replica;
  INSERT INTO funnel_counts (kind, days, first_day, key, visits, plays, paywalls, paid)
    SELECT kind, days, date '2026-01-01' - d, 'key' || k, 1, 1, 1, 1
    FROM unnest('{token,video}'::text[]) kind, unnest('{1,4,16}'::smallint[]) days, generate_series(0, 800) d, generate_series(1, 30) k;
  INSERT INTO funnel_revenue (kind, days, first_day, key, currency, renewal, gross_cents, refunded_cents, disputed_cents, disputes_won_cents, disputes_lost_cents)
    SELECT kind, days, first_day, key, 'USD', false, 1, 0, 0, 0, 0 FROM funnel_counts;
  INSERT INTO funnel_steps (day, step, token) SELECT '2026-01-01', 'visit', 'key' || n FROM generate_series(1, 20000) n;
  INSERT INTO ledger_lines (transaction_id, order_id, account, amount_cents, currency, at)
    SELECT 'charge:' || n, 'ord_' || n, 'sales:video', -999, 'USD', now() FROM generate_series(1, 20000) n;
  INSERT INTO unaggregated_ledger_lines SELECT id FROM ledger_lines;
  INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, expires_at, paid_at)
    SELECT 'ord_' || n, 'usr_1', 'video', 'paid', 999, 'USD', 'stripe', 'card', '', now(), now(), now() FROM generate_series(1, 20000) n;
  INSERT INTO episodes (id, video_id, number) SELECT 'ep_' || n, 'vid_' || n % 100, n FROM generate_series(1, 10000) n;
  INSERT INTO episode_viewer_counts SELECT id, 1, 1, now() FROM episodes;
  INSERT INTO episode_views SELECT 'usr_' || n % 500, 'ep_' || n, false FROM generate_series(1, 10000) n;
  RESET session_replication_role;
  ANALYZE`

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(filled)
}, 600_000)
afterAll(() => database.close())

const span = daySpanUntil(new Date('2026-01-01T12:00:00Z'), 92)
const inTransaction = (work: (tx: Tx) => Promise<unknown>) => (db: Db) => db.transaction().execute(work)

const cases: [string, (db: Db) => Promise<unknown>, RegExp][] = [
  [
    'a page of a funnel',
    (db) => readFunnel(db, 'token', span, { after: { visits: 5, key: 'a' }, limit: 21 }),
    /funnel_(counts|revenue)_pkey/,
  ],
  [
    'the revenue of a page',
    (db) => selectRevenue(db, 'video', splitIntoBuckets(span), ['key1']),
    /funnel_revenue_pkey/,
  ],
  [
    'the counts of a few tokens',
    (db) => selectTokenCounts(db, splitIntoBuckets(span), ['key1']),
    /funnel_counts_pkey/,
  ],
  ['a batch of steps', inTransaction((tx) => dequeueFunnelSteps(tx, 100)), /funnel_steps_pkey/],
  [
    'a batch of sales',
    inTransaction((tx) => takeUnaggregatedSales(tx, 100)),
    /unaggregated_ledger_lines_pkey[^]*ledger_lines_pkey[^]*orders_pkey|orders_pkey/,
  ],
  ["a video's episodes", (db) => loadEpisodeViewers(db, 'vid_1', { after: 0, limit: 201 }), /episodes_video/],
  [
    'a started episode',
    inTransaction((tx) => recordEpisodeViews(tx, [{ user_id: 'usr_1', episode_id: 'ep_1', finished: true }])),
    /episode_views_pkey/,
  ],
]

it.each(cases)('%s is found by an index', async (_what, work, index) => {
  const plans = await queryPlans(database, work)
  expect(plans.length).toBeGreaterThan(0)
  for (const { plan } of plans) {
    expect(plan).toMatch(index)
    expect(plan).not.toMatch(/Seq Scan on (funnel|unaggregated|ledger|orders|episode|episode_views|videos)/)
  }
})
