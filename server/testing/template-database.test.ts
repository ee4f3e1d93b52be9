import { afterAll, beforeAll, expect, test } from 'vitest'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'

let one: TestDatabase
let other: TestDatabase

beforeAll(async () => {
  one = await testDatabase()
  other = await testDatabase()
})

afterAll(async () => {
  await one.close()
  await other.close()
})

test('every test database is migrated and apart from the others', async () => {
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
  await expect(one.pool.query('SELECT 9007199254740993::int8')).rejects.toThrow(
    'more than a number can carry',
  )
})

test('a Kysely query runs as a prepared statement with a name', async () => {
  await one.db.connection().execute(async (db) => {
    const migrations = db
      .withTables<{ migrations: { name: string } }>()
      .selectFrom('migrations')
      .select('name')
      .where('name', '>', '0')
    await migrations.execute()
    await migrations.execute()
    const prepared = await db
      .withTables<{
        pg_prepared_statements: {
          name: string
          statement: string
          generic_plans: number
          custom_plans: number
        }
      }>()
      .selectFrom('pg_prepared_statements')
      .select(['statement', 'generic_plans', 'custom_plans'])
      .where('statement', '=', migrations.compile().sql)
      .execute()
    expect(prepared).toEqual([{ statement: migrations.compile().sql, generic_plans: 0, custom_plans: 2 }])
  })
})
