import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { openTestPool } from '#server/testing/database/test-pool.ts'
import type { Db, Tables } from '#server/tables.ts'
import type { Database } from './database.ts'
import { isDatabaseUnavailable } from './database-unavailable.ts'
import { preparedLookup, preparedQuery, type Placeholders } from './prepared-query.ts'

let database: TestDatabase
/**
 * The test's database, always without a pooler. Without a pooler, each connection is one process of PostgreSQL, which
 * keeps prepared statements and the lock time-out.
 */
let direct: Database<Tables>
beforeAll(async () => {
  database = await createTestDatabase()
  direct = openTestPool(database.url)
})
afterAll(async () => {
  await direct.close()
  await database.close()
})

interface Answer {
  quotient: number
  connection: number
}

const build =
  (mark = '') =>
  (_: Db, { divisor }: Placeholders<{ divisor: number }>) =>
    sql<Answer>`SELECT 12 / ${divisor}::int AS quotient, pg_backend_pid() AS connection, ${sql.lit(mark)} AS mark`
const lookUpQuotient = preparedLookup(build())
const divide = async (divisor: number) => (await lookUpQuotient(database.db, { divisor }))[0]
const divideDirectly = async (divisor: number) => (await lookUpQuotient(direct.db, { divisor }))[0]
const preparedQuotient = preparedQuery(build('prepared'))
const sleep = preparedLookup(
  (_: Db, { seconds }: Placeholders<{ seconds: number }>) => sql`SELECT pg_sleep(${seconds})`,
)
const connectionsOf = (answers: readonly (Answer | undefined)[]) =>
  new Set(answers.map((answer) => answer?.connection)).size

it('sends concurrent look-ups over one connection, and returns to each look-up its result', async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(divideDirectly))
  expect(answers.map((answer) => answer?.quotient)).toEqual([12, 6, 4, 3])
  expect(connectionsOf(answers)).toBe(1)
})

it('sends any number of other prepared queries over three connections', async () => {
  const many = Array.from({ length: 20 }, () => preparedQuotient(direct.db, { divisor: 3 }))
  const answers = (await Promise.all(many)).flat()
  expect(answers.map(({ quotient }) => quotient)).toEqual(many.map(() => 4))
  expect(connectionsOf(answers)).toBe(3)
})

it('a slow query does not block other queries', async () => {
  const slow = preparedQuery(
    (_: Db, { seconds }: Placeholders<{ seconds: number }>) => sql`SELECT pg_sleep(${seconds}) AS long`,
  )
  const waiting = slow(database.db, { seconds: 20 }).catch((error: unknown) => error)
  expect(await divide(3)).toMatchObject({ quotient: 4 })
  expect(await preparedQuotient(database.db, { divisor: 4 })).toMatchObject([{ quotient: 3 }])
  const cancelled = () =>
    database.pool.query(
      `SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep(%) AS long'`,
    )
  await expect.poll(cancelled).toMatchObject({ rowCount: 1 })
  expect(await waiting).toMatchObject({ message: 'canceling statement due to user request' })
})

it('fails a look-up in a locked table with a lock timeout, and answers the next look-up', async () => {
  const settings = preparedLookup((db: Db, { key }: Placeholders<{ key: string }>) =>
    db.selectFrom('settings').select('key').where('key', '=', key),
  )
  await direct.db.transaction().execute(async (tx) => {
    await sql`LOCK TABLE settings`.execute(tx)
    const refused = await settings(direct.db, { key: 'none' }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ message: 'canceling statement due to lock timeout' })
    expect(isDatabaseUnavailable(refused)).toBe(true)
  })
  expect(await settings(direct.db, { key: 'none' })).toEqual([])
})

it('refuses a query if too many others are queued, and answers the queued ones', async () => {
  const most = 10_000
  const before = Array.from({ length: most }, () => divide(6))
  await expect(divide(6)).rejects.toSatisfy(isDatabaseUnavailable)
  expect(new Set((await Promise.all(before)).map((answer) => answer?.quotient))).toEqual(new Set([2]))
  expect(await divide(6)).toMatchObject({ quotient: 2 })
})

it('fails only the look-up that has an error', async () => {
  const answers = await Promise.allSettled([4, 0, 6].map(divide))
  expect(answers).toMatchObject([
    { value: { quotient: 3 } },
    { reason: { message: 'division by zero' } },
    { value: { quotient: 2 } },
  ])
})

it('uses the transaction’s connection within a transaction', async () => {
  const outside = await divideDirectly(1)
  const [inside, own] = await direct.db
    .transaction()
    .execute(async (tx) => [
      (await lookUpQuotient(tx, { divisor: 1 }))[0],
      (await sql<{ connection: number }>`SELECT pg_backend_pid() AS connection`.execute(tx)).rows[0],
    ])
  expect(inside?.connection).toBe(own?.connection)
  expect(inside?.connection).not.toBe(outside?.connection)
})

const terminate = (connection: number | undefined) =>
  direct.pool.query('SELECT pg_terminate_backend($1)', [connection])

it('a pipeline reconnects after its connection has broken', async () => {
  const before = await divideDirectly(2)
  await terminate(before?.connection)
  await expect.poll(() => divideDirectly(2).catch(() => undefined)).toMatchObject({ quotient: 6 })
  expect((await divideDirectly(2))?.connection).not.toBe(before?.connection)
})

it('reports an unavailable database to each look-up in flight with a separate error, and answers the next look-up', async () => {
  const connection = (await divideDirectly(1))?.connection
  const underWay = Promise.allSettled([20, 20, 20].map((seconds) => sleep(direct.db, { seconds })))
  await terminate(connection)
  const reasons = (await underWay).map((result) => (result.status === 'rejected' ? result.reason : undefined))
  expect(reasons.map(isDatabaseUnavailable)).toEqual([true, true, true])
  expect(new Set(reasons).size).toBe(3)
  expect(await divideDirectly(4)).toMatchObject({ quotient: 3 })
})

it('retries once on a new connection after a column was added to the table', async () => {
  const all = preparedLookup((db: Db, { key }: Placeholders<{ key: string }>) =>
    db.selectFrom('settings').selectAll().where('key', '=', key),
  )
  const read = () => all(direct.db, { key: 'none' })
  const before = (await divideDirectly(1))?.connection
  await read()
  await database.pool.query('ALTER TABLE settings ADD COLUMN added int')
  expect(await Promise.all([read(), read()])).toEqual([[], []])
  expect((await divideDirectly(1))?.connection).not.toBe(before)
})

it('reports an unavailable database to queries whose statement was never prepared, and answers the next query', async () => {
  const tags = preparedLookup((db: Db, { id }: Placeholders<{ id: string }>) =>
    db.selectFrom('tags').select('id').where('id', '=', id),
  )
  const settled = await direct.db.transaction().execute(async (tx) => {
    await sql`LOCK TABLE tags`.execute(tx)
    return await Promise.allSettled(['one', 'two', 'three'].map((id) => tags(direct.db, { id })))
  })
  const reasons = settled.map((each) => each.status === 'rejected' && each.reason)
  expect(reasons.map(isDatabaseUnavailable)).toEqual([true, true, true])
  expect(await tags(direct.db, { id: 'one' })).toEqual([])
})

it('a database closes its pipelines after they have answered the queries in flight, even while a pipeline is connecting', async () => {
  const { db, close } = openTestPool(database.url)
  await lookUpQuotient(db, { divisor: 1 })
  const underWay = [sleep(db, { seconds: 0.2 }), preparedQuotient(db, { divisor: 2 })]
  // Closes once both queries have been sent.
  await new Promise(setImmediate)
  await close()
  expect(await Promise.all(underWay)).toMatchObject([[{}], [{ quotient: 6 }]])
})
