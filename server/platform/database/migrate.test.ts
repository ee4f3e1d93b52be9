import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { ConfigError } from '#server/platform/config-error.ts'
import { migrate } from '#server/platform/database/migrate.ts'
import { createLog } from '#server/platform/log.ts'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'

const log = createLog({ json: true, level: 'silent' })
let database: TestDatabase
let pool: pg.Pool
let directory = ''
let schemas = 0

beforeAll(async () => {
  database = await testDatabase()
})

afterAll(() => database.close())

// Each test has a schema of its own, in which nothing has run yet.
beforeEach(async () => {
  const schema = `history_${schemas++}`
  await database.pool.query(`CREATE SCHEMA ${schema}`)
  pool = new pg.Pool({ connectionString: database.url, options: `-c search_path=${schema}` })
  directory = mkdtempSync(join(tmpdir(), 'cliffhanger-migrations-'))
  write('001-books.sql', 'CREATE TABLE books (title text)')
})

afterEach(async () => {
  await pool.end()
  rmSync(directory, { recursive: true })
})

test('runs what is missing once, in order', async () => {
  await run()
  write('002-first.sql', "INSERT INTO books VALUES ('one')")
  write('003-second.sql', "UPDATE books SET title = title || ', two'")
  await run()
  await run()
  expect(await titles()).toEqual(['one, two'])
})

test('two processes at once run a migration once', async () => {
  await run()
  write('002-gated.sql', "LOCK TABLE books; INSERT INTO books VALUES ('one')")
  const gate = await pool.connect()
  await gate.query('BEGIN; LOCK TABLE books')
  const both = Promise.all([run(), run()])
  // One waits at the gate within the migration, the other for its turn.
  await vi.waitUntil(async () => (await waiting()) === 2, { timeout: 30_000, interval: 10 })
  await gate.query('COMMIT')
  gate.release()
  await both
  expect(await titles()).toEqual(['one'])
})

test('refuses a file that changed after it ran, and names it', async () => {
  await run()
  write('001-books.sql', 'CREATE TABLE books (title text NOT NULL)')
  await expect(run()).rejects.toThrow('Migration 001-books.sql has changed since it ran')
  await expect(run()).rejects.toThrow(ConfigError)
})

test('refuses a database that a newer version has migrated', async () => {
  write('002-more.sql', 'CREATE TABLE more ()')
  await run()
  rmSync(join(directory, '002-more.sql'))
  await expect(run()).rejects.toThrow('migration 002-more.sql is unknown here')
  await expect(run()).rejects.toThrow(ConfigError)
})

test('refuses a file that comes before one that has run', async () => {
  write('003-later.sql', 'CREATE TABLE later ()')
  await run()
  write('002-late.sql', 'CREATE TABLE late ()')
  await expect(run()).rejects.toThrow('Migration 002-late.sql comes before others')
})

test('undoes a migration that fails half-way and says why', async () => {
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

function run(): Promise<void> {
  return migrate(pool, { directory, log })
}

async function titles(): Promise<string[]> {
  const { rows } = await pool.query<{ title: string }>('SELECT title FROM books')
  return rows.map(({ title }) => title)
}

async function waiting(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM pg_locks JOIN pg_database ON pg_database.oid = database
     WHERE NOT granted AND datname = current_database()`,
  )
  return rows[0]?.count ?? 0
}
