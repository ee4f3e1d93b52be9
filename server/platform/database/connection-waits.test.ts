import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import type { Db } from '#server/tables.ts'
import { observeWaits } from './connection-waits.ts'
import { preparedLookup, preparedQuery, type Placeholders } from './prepared-query.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())

const sleepsSeconds = 0.2
const sleep =
  (mark: string) =>
  (_: Db, { seconds }: Placeholders<{ seconds: number }>) =>
    sql`SELECT pg_sleep(${seconds}), ${sql.lit(mark)}`
const lookUp = preparedLookup(sleep('look-up'))
const read = preparedQuery(sleep('read'))

it.each([
  {
    queue: 'pool',
    countConnections: () => database.pool.options.max,
    // This text must differ from `SELECT pg_sleep($1)`. pipelines.test.ts, which can run in the same process, passes
    // that text to `preparedQuery`. The statement would then use a shared connection instead of the pool.
    run: (db: Db, seconds: number) => sql`SELECT pg_sleep(${seconds}), 'pool'`.execute(db),
  },
  { queue: 'lookUp', countConnections: () => 1, run: (db: Db, seconds: number) => lookUp(db, { seconds }) },
  { queue: 'read', countConnections: () => 3, run: (db: Db, seconds: number) => read(db, { seconds }) },
])('measures how long a statement waits for a connection of $queue', async (each) => {
  const { queue, countConnections, run } = each
  const connections = countConnections()
  const runConcurrently = (count: number, seconds: number) =>
    Promise.all(Array.from({ length: count }, () => run(database.db, seconds)))
  // Opens the connections first, because a wait includes the time to open one.
  await runConcurrently(connections, 0)
  const waits: number[] = []
  const stopObserving = observeWaits((wait) => {
    if (wait.queue === queue) waits.push(wait.seconds)
  })
  await runConcurrently(connections + 1, sleepsSeconds)
  stopObserving()
  await runConcurrently(1, 0)
  expect(waits).toHaveLength(connections + 1)
  expect(Math.max(...waits)).toBeGreaterThanOrEqual(sleepsSeconds)
})
