import { afterAll, beforeAll, expect, it } from 'vitest'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { testDatabase, type TestDatabase } from '#server/testing/database/template-database.ts'
import { takeDueConversion } from './conversions/conversion-queries.ts'

const now = new Date('2026-03-01T12:00:00Z')

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
  await database.pool.query(`
    INSERT INTO conversions (destination, name, event_id, user_id, details, state, try_at, at)
      SELECT 'meta', 'purchase', n, 'usr_' || n, '{}', 'sent', now(), now() FROM generate_series(1, 5000) n;
    ANALYZE conversions`)
})
afterAll(() => database.close())

it('finds the conversion that is due without reading those that were sent', async () => {
  const plans = await queryPlans(database, (db) =>
    db.transaction().execute((tx) => takeDueConversion(tx, now, () => now)),
  )
  expect(plans).toHaveLength(1)
  expect(plans[0]?.plan).toContain('conversions_due')
  expect(plans[0]?.plan).not.toContain('Seq Scan')
})
