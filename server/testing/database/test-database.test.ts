import { sql, type CompiledQuery } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '#server/tables.ts'
import { createTestDatabase, openWithReplica, type TestDatabase } from './test-database.ts'
import { openTestPool } from './test-pool.ts'

let one: TestDatabase
let other: TestDatabase

beforeAll(async () => {
  one = await createTestDatabase()
  other = await createTestDatabase()
})

afterAll(async () => {
  await one.close()
  await other.close()
})

test('every test database is migrated and isolated from the others', async () => {
  await one.pool.query('CREATE TABLE mine (id int8)')
  expect(
    (
      await other.pool.query(
        "SELECT to_regclass('mine') AS found, (SELECT count(*) FROM migrations) > 0 AS migrated",
      )
    ).rows,
  ).toEqual([{ found: null, migrated: true }])
})

test('int8 arrives as a number, timestamptz as a Date, date as text', async () => {
  const { rows } = await one.pool.query(
    "SELECT 9007199254740991::int8 AS n, '2026-01-02T03:04:05Z'::timestamptz AS t, '2026-01-02'::date AS d",
  )
  expect(rows).toEqual([{ n: 9007199254740991, t: new Date('2026-01-02T03:04:05Z'), d: '2026-01-02' }])
  await expect(one.pool.query('SELECT 9007199254740993::int8')).rejects.toThrow('cannot represent exactly')
})

/** Returns how often a connection has run a query as a prepared statement, by kind of plan: generic or custom. */
async function queryPlans(db: Db, text: string) {
  const { rows } = await sql`
    SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement = ${text}`.execute(db)
  return rows
}

const written = sql`
  WITH one AS (SELECT ${1}::int AS number) SELECT * FROM one`
const queries: [name: string, build: (db: Db) => { compile(): CompiledQuery }][] = [
  ['that Kysely builds', (db) => db.selectFrom('videos').select('id').where('id', '>', '0')],
  ['that is written by hand and begins with a new line', (db) => ({ compile: () => written.compile(db) })],
]

test.each(queries)(
  'a query %s runs as a prepared statement, planned once for all values',
  async (_name, build) => {
    const direct = openTestPool(one.url)
    await direct.db.connection().execute(async (db) => {
      const query = build(db).compile()
      await db.executeQuery(query)
      await db.executeQuery(query)
      expect(await queryPlans(db, query.sql)).toEqual([{ generic_plans: 2, custom_plans: 0 }])
    })
    await direct.close()
  },
)

test('a test run with a replica reads as a user who cannot write; close() fails after a refused write', async () => {
  const readerName = `reader_${process.pid}`
  await one.pool.query(`CREATE ROLE ${readerName} LOGIN SUPERUSER`)
  await one.pool.query(`ALTER ROLE ${readerName} SET default_transaction_read_only = on`)
  await one.pool.query('CREATE TABLE notes (note text)')
  const reading = await openWithReplica(one.url, { readerName })
  expect((await sql`SELECT current_user AS reader`.execute(reading.readDb)).rows).toEqual([
    { reader: readerName },
  ])
  await sql`WITH note AS (SELECT 'a' AS note) INSERT INTO notes SELECT note FROM note`.execute(reading.readDb)
  await expect(reading.close()).rejects.toThrow('readDb was used to write')
  expect((await one.pool.query('SELECT * FROM notes')).rows).toEqual([{ note: 'a' }])
  await one.pool.query(`DROP ROLE ${readerName}`)
})
