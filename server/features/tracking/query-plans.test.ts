import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { anonymizeEvents, moveEvents, selectUserEvents, trimEvents } from './event-queries.ts'
import { countStepEvents } from './funnel-step-queries.ts'
import { claimDueConversions } from './conversions/conversion-queries.ts'

const now = new Date('2026-03-01T12:00:00Z')

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(`
    INSERT INTO conversions (destination, name, event_id, user_id, details, state, next_attempt_at, at)
      SELECT 'meta', 'purchase', n, 'usr_' || n, '{}', 'sent', now(), now() FROM generate_series(1, 5000) n;
    SELECT create_events_partition(now() + month * interval '1 month') FROM generate_series(-3, 2) month;
    INSERT INTO events (at, id, name, user_id)
      SELECT date_trunc('month', now(), 'UTC') + month * interval '1 month' + n * interval '8 minutes', gen_random_uuid(), 'event',
        'usr_' || n % 2000 FROM generate_series(-3, 2) month, generate_series(1, 4000) n;
    ANALYZE conversions, events`)
})
afterAll(() => database.close())

it('due conversions are found without reading sent conversions', async () => {
  const plans = await queryPlans(database, (db) => claimDueConversions(db, now, [1], 20))
  expect(plans).toHaveLength(1)
  expect(plans[0]?.plan).toContain('conversions_due')
  expect(plans[0]?.plan).not.toContain('Seq Scan')
})

it("a user's events are found in each month by an index", async () => {
  const plans = await queryPlans(database, async (db) => {
    await selectUserEvents(db, 'usr_7', { at: now, id: randomUUID() }, 100)
    await trimEvents(db, 'usr_7', 1000)
    await db.transaction().execute(async (tx) => {
      await moveEvents(tx, 'usr_7', 'usr_8')
      await anonymizeEvents(tx, 'usr_8')
    })
  })
  expect(plans).toHaveLength(4)
  for (const { plan } of plans) {
    expect(plan).toMatch(/Index (Only )?Scan|Bitmap Index Scan/)
    expect(plan).toContain('_user_id_at_idx')
    expect(plan).not.toContain('Seq Scan')
  }
})

it("the events of one day are read hour by hour, only from that day's month", async () => {
  const from = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1))
  const to = new Date(from.getTime() + 86_400_000)
  await database.pool.query('SELECT create_events_partition($1)', [from])
  const plans = await queryPlans(database, (db) => countStepEvents(db, { from, to }), 'these values')
  expect(plans).toHaveLength(24)
  const months = plans.flatMap(({ plan }) => plan.match(/events_\d{4}_\d\d(?=_|\b)/g) ?? [])
  expect(new Set(months)).toEqual(new Set(['events_2026_03']))
})
