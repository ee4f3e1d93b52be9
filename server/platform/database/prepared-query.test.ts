import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import type { Db } from '#server/tables.ts'
import { preparedQuery, type Placeholders } from './prepared-query.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(
    `INSERT INTO settings VALUES ('a', '{"is": 1}'), ('b', '{"is": 2}'), ('c', '{"is": 3}')`,
  )
})
afterAll(() => database.close())

const build = vi.fn((db: Db, { min, max }: Placeholders<{ min: string; max: string }>) =>
  db
    .selectFrom('settings')
    .select('key')
    .where('key', '>=', min)
    .where('key', '<=', max)
    .where('key', '!=', 'b')
    .orderBy('key'),
)
const keysBetween = preparedQuery(build)

it('a prepared query runs with the values of each call, and is built once', async () => {
  const { db } = database
  const keys = async (min: string, max: string) =>
    (await keysBetween(db, { min, max })).map(({ key }) => key).filter((key) => key.length === 1)
  expect(await keys('a', 'a')).toEqual(['a'])
  expect(await keys('b', 'c')).toEqual(['c'])
  expect(await keys('a', 'c')).toEqual(['a', 'c'])
  expect(build).toHaveBeenCalledTimes(1)
})

it('a prepared query sees the changes of its transaction', async () => {
  const rows = await database.db.transaction().execute(async (tx) => {
    await tx.insertInto('settings').values({ key: 'd', value: '{}' }).execute()
    return keysBetween(tx, { min: 'd', max: 'd' })
  })
  expect(rows).toEqual([{ key: 'd' }])
})

it('a prepared query sends a value once, however often its text uses the value', async () => {
  const send = vi.spyOn(database.db, 'executeQuery')
  const around = preparedQuery(
    (_: Db, { text, within }: Placeholders<{ text: string; within: string }>) =>
      sql<{ whole: string }>`SELECT ${text} || ${'-'} || ${within} || ${text} AS whole`,
  )
  expect(await around(database.db, { text: 'a', within: 'b' })).toEqual([{ whole: 'a-ba' }])
  expect(send.mock.lastCall?.[0]).toMatchObject({ parameters: ['a', '-', 'b'] })
})
