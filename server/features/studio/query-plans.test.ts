import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAllOrders, listDisputes, type OrderFilter } from '#server/features/billing/billing.ts'
import {
  listHomepageOptions,
  loadDraft,
  selectAdminTags,
  selectAdminVideos,
} from '#server/features/catalog/catalog.ts'
import type { Db } from '#server/tables.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { selectAuditEventsOfUser } from '#server/features/members/user-queries.ts'
import { countStuckMails } from './system/system-queries.ts'
import { selectAuditEvents, selectAuditEventsAbout } from './audit-queries.ts'

const filled = `
  SET session_replication_role = replica;
  INSERT INTO users (id, referral_code, merged_into)
    SELECT 'usr_' || n, n, CASE WHEN n > 2500 THEN 'usr_' || n % 100 END FROM generate_series(1, 5000) n;
  INSERT INTO orders (id, user_id, kind, status, amount_cents, currency, gateway, method, email, created_at, expires_at, paid_at)
    SELECT 'ord_' || n, 'usr_' || n % 5000, 'video', CASE WHEN n % 500 = 0 THEN 'charged_back' ELSE (ARRAY['paid', 'expired', 'pending'])[1 + n % 3] END, 999, 'USD',
      CASE WHEN n % 400 = 0 THEN 'paypal' ELSE 'stripe' END, 'card', n % 5000 || '@example.com', now() - n * interval '1 minute', now(), now()
    FROM generate_series(1, 20000) n;
  INSERT INTO payment_attempts (id, order_id, number, idempotency_key, gateway, status, started_at, dispute_status)
    SELECT 'att_' || n, 'ord_' || n, 1, n, 'stripe', 'succeeded', now(), CASE WHEN n % 50 = 0 THEN 'won' END
    FROM generate_series(1, 20000) n;
  INSERT INTO tags (id, slug, names, video_count)
    SELECT 'tag_' || n, n, jsonb_build_object('en', 'Tag number ' || n), n % 300 FROM generate_series(1, 5000) n;
  INSERT INTO videos (id, slug, titles, synopses, state, free_episodes, currency, episode_cents, video_cents, created_at)
    SELECT 'vid_' || n, n, jsonb_build_object('en', 'The number ' || n || CASE WHEN n % 2000 = 0 THEN ' rare' ELSE '' END), '{"en": ""}',
      'draft', 0, 'USD', 99, 999, now() - n * interval '1 minute' FROM generate_series(1, 20000) n;
  INSERT INTO audit_events (at, event, user_id, operator, subject)
    SELECT now(), (ARRAY['studio video edit', 'signed_in', 'order_paid'])[1 + n % 3],
      CASE WHEN n % 3 > 0 THEN 'usr_' || n % 5000 END, CASE WHEN n % 3 = 0 THEN 'me@example.com' END,
      CASE n % 3 WHEN 0 THEN 'vid_' || n % 700 WHEN 2 THEN 'ord_' || n END
    FROM generate_series(1, 20000) n;
  INSERT INTO mails (id, recipient, template, language, fields, attempts, next_attempt_at)
    SELECT 'mail_' || n, '', '', 'en', '{}', (n % 5000 = 0)::int * 2, now() + n * interval '1 s' FROM generate_series(1, 20000) n;
  RESET session_replication_role;
  ANALYZE;
  -- The planner assumes a large site, on which another plan may seem better.
  ALTER TABLE orders SET (autovacuum_enabled = false);
  UPDATE pg_class SET reltuples = 40000000 WHERE relname = 'orders'`

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(filled)
}, 600_000)
afterAll(() => database.close())

const options = { language: 'en', canSeeCustomers: true } as const
const since = new Date('2026-01-01T00:00:00Z')

async function expectIndexed(work: (db: Db) => Promise<unknown>, index: RegExp): Promise<void> {
  const plans = await queryPlans(database, work)
  expect(plans.length).toBeGreaterThan(0)
  for (const { plan } of plans) {
    expect(plan).toMatch(index)
    expect(plan).not.toContain('Seq Scan on orders')
    expect(plan).not.toContain('Seq Scan on payment_attempts')
    expect(plan).not.toContain('Seq Scan on tags')
    expect(plan).not.toContain('Seq Scan on audit_events')
  }
}

describe('a page of orders is read along an index', () => {
  const filters: [string, OrderFilter, RegExp][] = [
    ['all', {}, /orders_recent/],
    ['of a period', { since, until: since }, /orders_recent/],
    ['in a rare state', { status: 'charged_back' }, /orders_(gateway_)?status/],
    ['at a rarely used gateway', { gateway: 'paypal' }, /orders_gateway\b/],
    ['in a state at a gateway', { gateway: 'paypal', status: 'paid', since }, /orders_gateway_status/],
    ['of a customer', { userId: 'usr_7' }, /orders_user/],
    ['of an address', { email: '7@example.com' }, /orders_email/],
    [
      'by its number',
      { ids: ['ord_7f3a29c011b4d', 'ord_7f3a29c011b4'] },
      /^(?![^]*orders_recent)[^]*orders_pkey/,
    ],
    ['of a customer in a state', { userId: 'usr_7', status: 'paid' }, /orders_user/],
  ]
  it.each(filters)('%s', (_name, filter, index) =>
    expectIndexed((db) => listAllOrders(db, filter, { size: 50 }, options), index),
  )
})

it('a page of disputes is read along an index', () =>
  expectIndexed((db) => listDisputes(db, 'open', { size: 50 }, options), /payment_attempts_disputes/))

describe('a page of tags is read by an index', () => {
  const after = { video_count: 200, id: 'tag_7' }
  const pages: [string, Parameters<typeof selectAdminTags>[1], RegExp][] = [
    ['from the beginning', { keyword: undefined, after: undefined, limit: 20 }, /tags_used/],
    ['after a position', { keyword: undefined, after, limit: 20 }, /tags_used/],
    [
      'that match words, from the beginning',
      { keyword: 'number 77', after: undefined, limit: 20 },
      /tags_words/,
    ],
    ['that match words, after a position', { keyword: 'number 77', after, limit: 20 }, /tags_words/],
  ]
  it.each(pages)('%s', (_name, page, index) => expectIndexed((db) => selectAdminTags(db, page), index))
})

it('delayed mails are found in a long queue by indexes', async () => {
  const [count] = await queryPlans(database, (db) => countStuckMails(db, new Date()), 'these values')
  expect(count?.plan).toMatch(/mails_retried[^]*mails_due|mails_due[^]*mails_retried/)
  expect(count?.plan).not.toContain('Seq Scan')
  expect(await countStuckMails(database.db, new Date())).toBe(4)
})

it("a page of a user's audit events, with those of merged guests, is read along the index of the users", async () => {
  const after = { id: '100', at: since, event: '', details: {} }
  const [page] = await queryPlans(database, (db) => selectAuditEventsOfUser(db, 'usr_7', after, 250))
  expect(page?.plan).toContain('audit_events_user')
  expect(page?.plan).not.toMatch(/audit_events_pkey|Seq Scan/)
})

it('the tags with the most videos are read along an index, without sorting', async () => {
  const plans = await queryPlans(database, async (db) => {
    await listHomepageOptions(db, (await loadDraft(db)).draft, 'en')
  })
  const choices = plans.find(({ sql }) => sql.includes('"video_count" desc'))
  expect(choices?.plan).toMatch(/Index Scan Backward using tags_used/)
  expect(choices?.plan).not.toContain('Sort')
})

describe('the latest videos with a word in their titles', () => {
  async function search(keyword: string, after?: { at: string; id: string }) {
    let ids: string[] = []
    const plans = await queryPlans(database, async (db) => {
      ids = (await selectAdminVideos(db, { keyword, after, limit: 5 })).map(({ id }) => id)
    })
    return {
      ids,
      indexes: plans.map(
        ({ plan }) => plan.match(/videos_created|videos_title_words|Seq Scan on videos/)?.[0],
      ),
    }
  }

  it('are read along the index of times if the word is common', async () => {
    const ids = ['vid_1', 'vid_2', 'vid_3', 'vid_4', 'vid_5']
    expect(await search('the numb')).toEqual({ ids, indexes: ['videos_created'] })
  })

  it('are found by the index of words if the word is rare, page by page', async () => {
    const indexes = ['videos_created', 'videos_title_words']
    const ids = ['vid_2000', 'vid_4000', 'vid_6000', 'vid_8000', 'vid_10000']
    expect(await search('the rar')).toEqual({ ids, indexes })
    const last = await selectAdminVideos(database.db, {
      keyword: 'the number 10000',
      after: undefined,
      limit: 1,
    })
    const after = { at: last[0]?.created_at.toISOString() ?? '', id: 'vid_10000' }
    expect((await search('the rar', after)).ids).toEqual(
      ids.map((id) => `vid_${Number(id.slice(4)) + 10_000}`),
    )
  })
})

describe('a page of the audit log is read by an index', () => {
  const page = { before: 15_000, limit: 51 }
  it('of all operators', () => expectIndexed((db) => selectAuditEvents(db, page), /audit_events_studio/))

  it('of a subject, and of a customer with the customer’s own actions', () =>
    expectIndexed(
      (db) => selectAuditEventsAbout(db, 'usr_7', page),
      /audit_events_subject[^]*audit_events_user|audit_events_user[^]*audit_events_subject/,
    ))
})
