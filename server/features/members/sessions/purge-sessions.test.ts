import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { dayMs } from '#server/platform/clock.ts'
import { queryPlans } from '#server/testing/database/query-plans.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { purgeSessions } from './sessions.ts'

const now = new Date('2026-03-01T12:00:00Z')
const signal = new AbortController().signal

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query("INSERT INTO users (id, referral_code) VALUES ('usr_1', 'code')")
})
afterAll(() => database.close())
beforeEach(() => database.pool.query('DELETE FROM sessions'))

/** Inserts sessions that started, and were last used, this many days ago. */
const insertSessions = (prefix: string, count: number, startedDays: number, seenDays: number) =>
  database.pool.query(
    `INSERT INTO sessions (id, user_id, token_hash, user_agent, created_at, last_seen_at)
     SELECT $1 || n, 'usr_1', sha256(($1 || n)::bytea), '', $2, $3 FROM generate_series(1, $4::int) n`,
    [
      prefix,
      new Date(now.getTime() - startedDays * dayMs),
      new Date(now.getTime() - seenDays * dayMs),
      count,
    ],
  )

async function sessionIds(): Promise<string[]> {
  const rows = await database.db.selectFrom('sessions').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

test('the purge deletes all sessions that were unused for 90 days or started 400 days ago, in batches', async () => {
  await insertSessions('unused', 5, 100, 90)
  await insertSessions('old', 5, 400, 1)
  await insertSessions('active', 2, 399, 89)
  await purgeSessions(database.db, now, signal, 2)
  expect(await sessionIds()).toEqual(['active1', 'active2'])
})

test('the purge deletes no further batch after its abort', async () => {
  await insertSessions('unused', 5, 100, 90)
  const stopped = new AbortController()
  stopped.abort()
  await purgeSessions(database.db, now, stopped.signal, 2)
  expect(await sessionIds()).toHaveLength(5)
})

test('the purge finds the expired sessions among many active ones by an index, and skips a locked session', async () => {
  await insertSessions('active', 20_000, 30, 1)
  await insertSessions('old', 10, 400, 1)
  await database.pool.query('ANALYZE sessions')
  const client = await database.sessions.connect()
  await client.query("BEGIN; SELECT FROM sessions WHERE id = 'old1' FOR KEY SHARE")
  const plans = await queryPlans(database, (db) => purgeSessions(db, now, signal), 'these values')
  await client.query('COMMIT')
  client.release()
  const scans = plans.map(({ plan }) => [...plan.matchAll(/(Seq Scan|Index.*using \w+) on sessions/g)])
  expect(scans.map((found) => found.map(([, scan]) => scan))).toEqual([
    expect.arrayContaining(['Index Scan using sessions_idle']),
    expect.arrayContaining(['Index Scan using sessions_started']),
  ])
  expect(plans.filter(({ plan }) => plan.includes('Seq Scan on sessions'))).toEqual([])
  expect(await sessionIds()).toContain('old1')
  expect(await sessionIds()).not.toContain('old2')
})
