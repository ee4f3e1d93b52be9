import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { migrationsDir } from '#server/platform/database/database.ts'
import { checkMigrated, migrate } from '#server/platform/database/migrate.ts'
import { createLog } from '#server/platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { withoutConnectionErrors } from '#server/testing/database/test-pool.ts'

const log = createLog({ json: true, level: 'silent' })
let database: TestDatabase
let pool: pg.Pool
let directory = ''
let schemas = 0

beforeAll(async () => {
  database = await createTestDatabase()
})

afterAll(() => database.close())

// Each test has its own schema, in which no migration has run.
beforeEach(async () => {
  const schema = `history_${schemas++}`
  await database.pool.query(`CREATE SCHEMA ${schema}`)
  pool = withoutConnectionErrors(
    new pg.Pool({ connectionString: database.url, options: `-c search_path=${schema}` }),
  )
  directory = mkdtempSync(join(tmpdir(), 'cliffhanger-migrations-'))
  write('001-books.sql', 'CREATE TABLE books (title text)')
})

afterEach(async () => {
  await pool.end()
  rmSync(directory, { recursive: true })
})

test('runs missing migrations once, in order', async () => {
  await run()
  write('002-first.sql', "INSERT INTO books VALUES ('one')")
  write('003-second.sql', "UPDATE books SET title = title || ', two'")
  await run()
  await run()
  expect(await titles()).toEqual(['one, two'])
})

test('two concurrent processes run a migration once', async () => {
  await run()
  write('002-gated.sql', "LOCK TABLE books; INSERT INTO books VALUES ('one')")
  const gate = await pool.connect()
  await gate.query('BEGIN; LOCK TABLE books')
  const both = Promise.all([run(), run()])
  // One process waits for the locked table within the migration; the other waits for the lock on migrations.
  await vi.waitUntil(async () => (await countWaiting()) === 1, { timeout: 120_000, interval: 10 })
  await gate.query('COMMIT')
  gate.release()
  await both
  expect(await titles()).toEqual(['one'])
})

test('three concurrent processes run CREATE INDEX CONCURRENTLY only once', async () => {
  await run()
  write(
    '002-index.sql',
    `-- Runs outside a transaction.
CREATE INDEX CONCURRENTLY IF NOT EXISTS books_title ON books (title);
`,
  )
  await Promise.all([run(), run(), run()])
  const { rows } = await pool.query<{ valid: boolean }>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'books_title'::regclass",
  )
  expect(rows).toEqual([{ valid: true }])
})

test('refuses a file that changed after it ran, and names it', async () => {
  await run()
  write('001-books.sql', 'CREATE TABLE books (title text NOT NULL)')
  await expect(run()).rejects.toThrow('Migration 001-books.sql has changed since it ran')
  await expect(run()).rejects.toThrow(ConfigError)
})

test('accepts a database that a newer release of the same major version has migrated, and logs a warning', async () => {
  write('002-more.sql', 'CREATE TABLE more ()')
  await run({ version: '1.9.0' })
  rmSync(join(directory, '002-more.sql'))
  const lines: string[] = []
  const listening = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  await run({ version: '1.8.2', log: listening })
  expect(lines).toEqual([expect.stringContaining('migrated by version 1.9.0')])
})

test('refuses a database that another major version has migrated', async () => {
  write('002-more.sql', 'CREATE TABLE more ()')
  await run({ version: '2.0.0' })
  rmSync(join(directory, '002-more.sql'))
  await expect(run({ version: '1.9.0' })).rejects.toThrow('migration 002-more.sql is unknown here')
  await expect(run({ version: '1.9.0' })).rejects.toThrow(ConfigError)
})

test('a check finds missing migrations, and changes nothing', async () => {
  const check = () => checkMigrated(pool, { directory, log })
  await expect(check()).rejects.toThrow(
    /not up to date\. Migrations that have not run: 001-books\.sql\. Run "npm run migrate" first/,
  )
  const { rows } = await pool.query<{ table: string | null }>("SELECT to_regclass('migrations') AS table")
  expect(rows).toEqual([{ table: null }])
  await run()
  await check()
  write('002-more.sql', 'CREATE TABLE more ()')
  await expect(check()).rejects.toThrow(/have not run: 002-more\.sql\./)
})

test('a check accepts the schema of the previous release if the missing migrations can wait, and logs a warning', async () => {
  await run()
  const lines: string[] = []
  const listening = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const check = () => checkMigrated(pool, { directory, log: listening })
  write('002-later.sql', '-- This release runs without it.\nCREATE TABLE later ()')
  write(
    '003-index.sql',
    '-- Runs outside a transaction.\n-- This release runs without it.\nCREATE INDEX CONCURRENTLY IF NOT EXISTS books_title ON books (title);\n',
  )
  await check()
  expect(lines).toEqual([expect.stringContaining('older version: 2 migrations have not run')])
  // The comment counts only at the beginning of a file, so the release needs this migration.
  write('004-now.sql', 'CREATE TABLE now ()\n-- This release runs without it.')
  await expect(check()).rejects.toThrow('have not run: 004-now.sql.')
  await run()
  await check()
  expect(lines).toHaveLength(1)
})

test('a migration that needs a lock does not block reads, and finishes once the lock is free', async () => {
  await run()
  await pool.query("INSERT INTO books VALUES ('one')")
  write('002-alter.sql', 'ALTER TABLE books ADD pages integer')
  const reader = await pool.connect()
  await reader.query('BEGIN; SELECT FROM books')
  const migrated = run()
  await vi.waitUntil(async () => (await countWaiting()) === 1, { timeout: 120_000, interval: 10 })
  // This read waits behind the waiting ALTER TABLE, but for at most two seconds.
  expect(await titles()).toEqual(['one'])
  await reader.query('COMMIT')
  reader.release()
  await migrated
  await pool.query('UPDATE books SET pages = 7')
})

test('a migration that has deadlocked with another transaction is retried', async () => {
  write('002-shelves.sql', 'CREATE TABLE shelves ()')
  await run()
  write('003-both.sql', "LOCK TABLE books; LOCK TABLE shelves; INSERT INTO books VALUES ('one')")
  const other = await pool.connect()
  // The other transaction looks for a deadlock only after a minute, so the migration detects the deadlock first.
  await other.query("SET deadlock_timeout = '1min'; BEGIN; LOCK TABLE shelves")
  const migrated = run()
  await vi.waitUntil(async () => (await countWaiting()) === 1, { timeout: 120_000, interval: 10 })
  await other.query('LOCK TABLE books; COMMIT')
  other.release(true)
  await migrated
  expect(await titles()).toEqual(['one'])
})

test('the migration of catalogue announcements waits for a transaction that changes a video, and does not block that transaction', async () => {
  const own = await createTestDatabase()
  const name = '0018_announce_catalogue.sql'
  await own.pool.query('DROP FUNCTION announce_catalogue_change CASCADE')
  await own.pool.query('DELETE FROM migrations WHERE name >= $1', [name])
  const site = await own.pool.connect()
  await site.query("BEGIN; SET LOCAL lock_timeout = '500ms'; UPDATE videos SET free_episodes = free_episodes")
  const migrated = migrate(own.sessions, { directory: migrationsDir, log, upTo: name })
  await vi.waitUntil(async () => (await countWaiting(own)) === 1, { timeout: 120_000, interval: 10 })
  await site.query('UPDATE episodes SET titles = titles; UPDATE assets SET state = state; COMMIT')
  site.release(true)
  await migrated
  await own.close()
})

test('the migration that drops foreign keys of the history blocks no viewer while it waits for a transaction', async () => {
  const own = await createTestDatabase()
  const name = '0021_unplayed_episodes.sql'
  await own.pool.query('DELETE FROM migrations WHERE name >= $1', [name])
  const reader = await own.pool.connect()
  await reader.query('BEGIN; SELECT FROM watch_history')
  const migrated = migrate(own.sessions, { directory: migrationsDir, log, upTo: name })
  await vi.waitUntil(async () => (await countWaiting(own)) === 1, { timeout: 120_000, interval: 10 })
  // Succeeds once the migration's lock time-out has expired. Without a time-out, it would wait for the reader.
  await own.pool.query('UPDATE watch_history SET position_ms = 0')
  await reader.query('COMMIT')
  reader.release(true)
  await migrated
  await own.close()
})

test('a migration that never gets its lock fails and changes nothing', async () => {
  await run()
  write('002-alter.sql', 'ALTER TABLE books ADD pages integer')
  const reader = await pool.connect()
  await reader.query('BEGIN; SELECT FROM books')
  await expect(run({ lockRetryLimitMs: 0 })).rejects.toThrow(
    /002-alter\.sql failed and was undone: .*lock timeout/,
  )
  await reader.query('COMMIT')
  reader.release()
  await run()
})

test('outside a transaction, a failed statement is retried and an invalid index rebuilt', async () => {
  await run()
  await pool.query("INSERT INTO books VALUES ('one'), ('one')")
  write(
    '002-index.sql',
    `-- Runs outside a transaction.
CREATE TABLE IF NOT EXISTS shelves ();
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS books_title ON books (title);
`,
  )
  await expect(run()).rejects.toThrow(
    /002-index\.sql failed and continues at the next start: could not create unique index/,
  )
  await pool.query("DELETE FROM books; INSERT INTO books VALUES ('two')")
  await run()
  const { rows } = await pool.query<{ valid: boolean }>(
    "SELECT indisvalid AS valid FROM pg_index WHERE indexrelid = 'books_title'::regclass",
  )
  expect(rows).toEqual([{ valid: true }])
})

test('outside a transaction, the body of a function is not split into statements', async () => {
  write(
    '002-function.sql',
    `-- Runs outside a transaction.
CREATE OR REPLACE FUNCTION half(number int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  -- A body has lines that end with a semicolon.
  RETURN number / 2;
END $$;
CREATE TABLE IF NOT EXISTS halves ()`,
  )
  await run()
  const { rows } = await pool.query("SELECT half(8), to_regclass('halves') IS NOT NULL AS exists")
  expect(rows).toEqual([{ half: 4, exists: true }])
})

test('refuses a file that sorts before one that has run', async () => {
  write('003-later.sql', 'CREATE TABLE later ()')
  await run()
  write('002-late.sql', 'CREATE TABLE late ()')
  await expect(run()).rejects.toThrow('Migration 002-late.sql comes before others')
})

test('rolls back a migration that fails half-way, and reports the reason', async () => {
  write('002-broken.sql', "INSERT INTO books VALUES ('half'); SELECT nothing FROM nowhere")
  await expect(run()).rejects.toThrow(/002-broken\.sql failed and was undone: .*nowhere/)
  expect(await titles()).toEqual([])
  write('002-broken.sql', "INSERT INTO books VALUES ('whole')")
  await run()
  expect(await titles()).toEqual(['whole'])
})

function write(name: string, sql: string): void {
  writeFileSync(join(directory, name), sql)
}

function run(options: Partial<Parameters<typeof migrate>[1]> = {}): Promise<void> {
  return migrate(pool, { directory, log, ...options })
}

async function titles(): Promise<string[]> {
  const { rows } = await pool.query<{ title: string }>('SELECT title FROM books')
  return rows.map(({ title }) => title)
}

async function countWaiting({ pool: observer } = database): Promise<number> {
  const { rows } = await observer.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_locks JOIN pg_database ON pg_database.oid = database
     WHERE NOT granted AND datname = current_database()`,
  )
  return rows[0]?.count ?? 0
}
