import { afterAll, beforeAll, expect, test } from 'vitest'
import { dayMs } from '#server/platform/clock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { purgeWebhookEvents } from './purge-webhook-events.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

test('webhook events are deleted 180 days after they were applied, and never if they were not applied', async () => {
  const now = new Date('2026-03-01T12:00:00Z')
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMs)
  const event = (event_id: string, applied_at: Date | null) => ({
    gateway: 'sandbox' as const,
    event_id,
    reference: event_id,
    received_at: daysAgo(400),
    applied_at,
  })
  const recent = ['recent', 'unapplied'].map((id) => event(id, id === 'recent' ? daysAgo(179) : null))
  const old = ['a', 'b', 'c'].map((id) => event(id, daysAgo(181)))
  const { db } = database
  await db
    .insertInto('webhook_events')
    .values([...recent, ...old])
    .execute()
  const purge = async () => {
    await purgeWebhookEvents({ db, clock: { now: () => now } })
    const rows = await db.selectFrom('webhook_events').select('event_id').orderBy('event_id').execute()
    return rows.map(({ event_id }) => event_id)
  }
  const setIndexValid = (isValid: boolean) =>
    database.pool.query(
      "UPDATE pg_index SET indisvalid = $1 WHERE indexrelid = 'webhook_events_applied'::regclass",
      [isValid],
    )
  // The migration has not built the index yet.
  await setIndexValid(false)
  expect(await purge()).toHaveLength(5)
  await setIndexValid(true)
  expect(await purge()).toEqual(['recent', 'unapplied'])
})
