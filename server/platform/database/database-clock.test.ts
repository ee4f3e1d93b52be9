import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'

/**
 * The site's clock may be ahead of the database's, because the sandbox moves it. A time must only be compared with the
 * clock that wrote it.
 */

/** Columns whose default is the database's time, but which the site always sets. */
const givenBySite = [
  'idempotency_keys.created_at',
  'payment_methods.created_at',
  'users.created_at',
  'videos.created_at',
]
/**
 * Columns that keep the database's time as their default. The site may display them, sort by them, or compare them with
 * the database's time.
 */
const byDatabase = [
  'assets.created_at',
  'episodes.created_at',
  'scheduled_jobs.registered_at',
  'mails.created_at',
  'health_checks.checked_at',
  'health_checks.since',
  'migrations.ran_at',
]
/** Other columns to which the database writes its time. */
const byStatement = [
  'idempotency_keys.lease_expires_at',
  'scheduled_jobs.failing_since',
  'scheduled_jobs.succeeded_at',
]
/** Files that use the database's time. */
const filesWithDatabaseTime = [
  'server/features/billing/checkout/idempotency-queries.ts',
  'server/features/studio/system/system-queries.ts',
  'server/metrics/metrics-queries.ts',
  'server/platform/database/migrate.ts',
  'server/platform/database/replica.ts',
  'server/platform/jobs/claim-jobs.ts',
]

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const databaseClock =
  /(?<![.\w{])now\(\)|clock_timestamp|transaction_timestamp|current_timestamp|localtimestamp/i

const sources = readdirSync('server', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('testing'))
  .map((name) => join('server', name))
  .map((name) => ({ name, code: readFileSync(name, 'utf8') }))

/** Returns the parts of an SQL text or query that compare a column with a bound value. */
function comparisons(code: string, column: string): string[] {
  const [table = '', name = ''] = column.split('.')
  const parts = code.split(/\n(?=(?:export |async |function |const )|\/\*\*)/)
  const named = new RegExp(`(?:['"\`]|FROM |JOIN |UPDATE |INTO )${table}\\b`)
  const compared = new RegExp(
    `where\\w*\\(\\s*['"](?:${table}\\.)?${name}['"],\\s*['"][<>=!]+['"],(?!\\s*sql)|\\b${name}\\b\\s*[<>=]+\\s*\\$\\{(?!sql)`,
  )
  return parts.filter((part) => named.test(part) && compared.test(part))
}

test("exactly the listed columns have the database's time as their default", async () => {
  const { rows } = await sql<{ name: string }>`
    SELECT table_name || '.' || column_name AS name FROM information_schema.columns
    WHERE table_schema = 'public' AND column_default ~* 'now\\(\\)|clock_timestamp|current_timestamp' ORDER BY 1`.execute(
    database.db,
  )
  expect(rows.map(({ name }) => name)).toEqual([...givenBySite, ...byDatabase].toSorted())
})

test("exactly the listed files use the database's time", () => {
  const found = sources
    .filter(({ code }) => textsIn(code).some((text) => databaseClock.test(text)))
    .map(({ name }) => name)
  expect(found.toSorted()).toEqual(filesWithDatabaseTime)
})

test.each([...byDatabase, ...byStatement])('%s is never compared with a time of the site', (column) => {
  const found = sources.flatMap(({ code }) => comparisons(code, column))
  expect(found).toEqual([])
})

test('detects a comparison with a time of the site', () => {
  const query = "db.deleteFrom('mails').where('created_at', '<', before)"
  expect(comparisons(query, 'mails.created_at')).toEqual([query])
  expect(comparisons('DELETE FROM mails WHERE created_at < ${before}', 'mails.created_at')).toHaveLength(1)
  expect(comparisons('DELETE FROM mails WHERE created_at < now()', 'mails.created_at')).toEqual([])
})

/** Returns the strings of a file. Outside of strings, `now()` is the site's clock. */
function textsIn(code: string): string[] {
  const withoutComments = code.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
  return withoutComments.match(/`[^`]*`|'[^'\n]*'/g) ?? []
}
