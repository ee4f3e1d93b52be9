import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { attemptKey, purgeAttemptCounts, countAttempt } from './attempt-limits.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second))
const limit = { max: 3, seconds: 60 }
const tooMany = (retryAfter: number) => expect.objectContaining({ reason: 'tooManyRequests', retryAfter })

test('refuses an attempt beyond the limit until the stated number of seconds has passed', async () => {
  for (let turn = 0; turn < 3; turn++) await countAttempt(database.db, 'one', limit, at(turn))
  await expect(countAttempt(database.db, 'one', limit, at(20))).rejects.toEqual(tooMany(40))
  await expect(countAttempt(database.db, 'one', limit, at(59.5))).rejects.toEqual(tooMany(1))
  await countAttempt(database.db, 'one', limit, at(60))
})

test('counts each key separately', async () => {
  for (let turn = 0; turn < 3; turn++) await countAttempt(database.db, 'full', limit, at(0))
  await countAttempt(database.db, 'free', limit, at(0))
})

test('allows exactly as many concurrent attempts as the limit', async () => {
  const tries = Array.from({ length: 12 }, () => countAttempt(database.db, 'crowd', limit, at(0)))
  const results = await Promise.allSettled(tries)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(3)
})

test('a key is deterministic, reveals nothing of its user, and depends on the secret', () => {
  const key = attemptKey('secret', 'sign-in', 'ada@example.com')
  expect(key).toBe(attemptKey('secret', 'sign-in', 'ada@example.com'))
  // Looks for a long part of the address. The random letters of the key could contain a short part by chance.
  expect(key).not.toContain('ada@example')
  expect(attemptKey('other', 'sign-in', 'ada@example.com')).not.toBe(key)
})

test('deletes expired counts and keeps others', async () => {
  await countAttempt(database.db, 'old', { max: 1, seconds: 1 }, at(0))
  await countAttempt(database.db, 'young', { max: 1, seconds: 300 }, at(0))
  await purgeAttemptCounts(database.db, at(10))
  const { rows } = await database.pool.query("SELECT key FROM attempt_counts WHERE key IN ('old', 'young')")
  expect(rows).toEqual([{ key: 'young' }])
})
