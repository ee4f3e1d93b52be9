import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'
import { openTestPool } from '#server/testing/test-pool.ts'
import type { Db } from '#server/tables.ts'
import { isDatabaseAway } from './database-away.ts'
import { lookUp, prepared, type Slots } from './prepared.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

interface Answer {
  quotient: number
  connection: number
}

const build =
  (mark = '') =>
  (_: Db, { divisor }: Slots<{ divisor: number }>) =>
    sql<Answer>`SELECT 12 / ${divisor}::int AS quotient, pg_backend_pid() AS connection, ${sql.lit(mark)} AS mark`
const lookUpQuotient = lookUp(build())
const divide = async (divisor: number) => (await lookUpQuotient(database.db, { divisor }))[0]
const preparedQuotient = prepared(build('prepared'))
const sleep = lookUp((_: Db, { seconds }: Slots<{ seconds: number }>) => sql`SELECT pg_sleep(${seconds})`)
const connectionsOf = (answers: readonly (Answer | undefined)[]) =>
  new Set(answers.map((answer) => answer?.connection)).size

it('takes look-ups that are made at once down one connection, each with its own answer', async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(divide))
  expect(answers.map((answer) => answer?.quotient)).toEqual([12, 6, 4, 3])
  expect(connectionsOf(answers)).toBe(1)
})

it('takes other prepared queries down three, however many they are', async () => {
  const many = Array.from({ length: 20 }, () => preparedQuotient(database.db, { divisor: 3 }))
  const answers = (await Promise.all(many)).flat()
  expect(answers.map(({ quotient }) => quotient)).toEqual(many.map(() => 4))
  expect(connectionsOf(answers)).toBe(3)
})

it('keeps nothing waiting for a query that takes long', async () => {
  const slow = prepared(
    (_: Db, { name }: Slots<{ name: string }>) => sql`SELECT pg_advisory_lock(hashtext(${name}))`,
  )
  const name = 'somebody has it'
  await database.db.connection().execute(async (holder) => {
    await sql`SELECT pg_advisory_lock(hashtext(${name}))`.execute(holder)
    const waiting = slow(database.db, { name })
    expect(await divide(3)).toMatchObject({ quotient: 4 })
    expect(await preparedQuotient(database.db, { divisor: 4 })).toMatchObject([{ quotient: 3 }])
    await sql`SELECT pg_advisory_unlock(hashtext(${name}))`.execute(holder)
    await waiting
  })
})

it('fails one look-up alone', async () => {
  const answers = await Promise.allSettled([4, 0, 6].map(divide))
  expect(answers).toMatchObject([
    { value: { quotient: 3 } },
    { reason: { message: 'division by zero' } },
    { value: { quotient: 2 } },
  ])
})

it('goes down the connection of a transaction within one', async () => {
  const outside = await divide(1)
  const [inside, own] = await database.db
    .transaction()
    .execute(async (tx) => [
      (await lookUpQuotient(tx, { divisor: 1 }))[0],
      (await sql<{ connection: number }>`SELECT pg_backend_pid() AS connection`.execute(tx)).rows[0],
    ])
  expect(inside?.connection).toBe(own?.connection)
  expect(inside?.connection).not.toBe(outside?.connection)
})

const terminate = (connection: number | undefined) =>
  database.pool.query('SELECT pg_terminate_backend($1)', [connection])

it('connects anew once its connection has broken', async () => {
  const before = await divide(2)
  await terminate(before?.connection)
  await expect.poll(() => divide(2).catch(() => undefined)).toMatchObject({ quotient: 6 })
  expect((await divide(2))?.connection).not.toBe(before?.connection)
})

it('tells each look-up under way by an error of its own that the database is away, and answers the next', async () => {
  const connection = (await divide(1))?.connection
  const underWay = Promise.allSettled([3, 3, 3].map((seconds) => sleep(database.db, { seconds })))
  await terminate(connection)
  const reasons = (await underWay).map((result) => (result.status === 'rejected' ? result.reason : undefined))
  expect(reasons.map(isDatabaseAway)).toEqual([true, true, true])
  expect(new Set(reasons).size).toBe(3)
  expect(await divide(4)).toMatchObject({ quotient: 3 })
})

it('goes on with a new connection where a table has another column than it was planned with', async () => {
  const all = lookUp((db: Db, { key }: Slots<{ key: string }>) =>
    db.selectFrom('settings').selectAll().where('key', '=', key),
  )
  const read = () => all(database.db, { key: 'none' })
  await read()
  await database.pool.query('ALTER TABLE settings ADD COLUMN added int')
  await expect(read()).rejects.toMatchObject({ message: 'cached plan must not change result type' })
  expect(await read()).toEqual([])
})

it('is closed with what is under way answered, also where it is still connecting', async () => {
  const { db, close } = openTestPool(database.url)
  await lookUpQuotient(db, { divisor: 1 })
  const underWay = [sleep(db, { seconds: 0.2 }), preparedQuotient(db, { divisor: 2 })]
  // Once both have been asked.
  await new Promise(setImmediate)
  await close()
  expect(await Promise.all(underWay)).toMatchObject([[{}], [{ quotient: 6 }]])
})
