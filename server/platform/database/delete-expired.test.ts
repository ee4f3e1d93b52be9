import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { deleteExpired } from './delete-expired.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(
    'CREATE TABLE tickets (name text, ends_at timestamptz, used boolean DEFAULT true); CREATE INDEX ON tickets (ends_at)',
  )
})
afterAll(() => database.close())
beforeEach(() => database.pool.query('TRUNCATE tickets'))

const now = new Date('2026-03-01T12:00:00Z')
const expired = { table: 'tickets', time: 'ends_at', before: now }

/** Inserts tickets that end this many seconds after `now`. */
const insertTickets = (name: string, count: number, seconds: number) =>
  database.pool.query(
    "INSERT INTO tickets SELECT $1 || n, $2::timestamptz + $3 * interval '1 s' FROM generate_series(1, $4::int) n",
    [name, now, seconds, count],
  )

async function ticketNames(): Promise<string[]> {
  const { rows } = await database.pool.query<{ name: string }>('SELECT name FROM tickets ORDER BY name')
  return rows.map(({ name }) => name)
}

test('deletes all rows before a time in batches, until a batch is not full', async () => {
  await insertTickets('expired', 5, -1)
  await insertTickets('valid', 2, 0)
  const plans = await queryPlans(database, (db) => deleteExpired(db, expired, { batchSize: 2 }))
  expect(plans).toHaveLength(3)
  expect(await ticketNames()).toEqual(['valid1', 'valid2'])
})

test('keeps rows that do not meet the additional condition', async () => {
  await insertTickets('expired', 3, -1)
  await database.pool.query("UPDATE tickets SET used = false WHERE name = 'expired2'")
  await deleteExpired(database.db, { ...expired, condition: sql`used` })
  expect(await ticketNames()).toEqual(['expired2'])
})

test('skips a row that another transaction has locked', async () => {
  await insertTickets('expired', 3, -1)
  await database.db.transaction().execute(async (tx) => {
    await sql`SELECT FROM tickets WHERE name = 'expired2' FOR UPDATE`.execute(tx)
    await deleteExpired(database.db, expired)
  })
  expect(await ticketNames()).toEqual(['expired2'])
})

test('deletes no further batch after an abort', async () => {
  await insertTickets('expired', 3, -1)
  await deleteExpired(database.db, expired, { signal: AbortSignal.abort(), batchSize: 2 })
  expect(await ticketNames()).toHaveLength(3)
})

test('finds the expired rows among many others by the index', async () => {
  await insertTickets('valid', 20_000, 60)
  await database.pool.query('ANALYZE tickets')
  for (const plannedFor of ['all values', 'these values'] as const) {
    const [batch] = await queryPlans(database, (db) => deleteExpired(db, expired), plannedFor)
    expect(batch?.plan).toMatch(
      /Index Scan using tickets_ends_at_idx[^]*Tid Scan|Tid Scan[^]*Index Scan using/,
    )
    expect(batch?.plan).not.toContain('Seq Scan')
  }
})
