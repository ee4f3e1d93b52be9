import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { waitForLock } from '#server/testing/database/wait-for-lock.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import type { Tx } from '#server/tables.ts'
import { inTransaction } from './in-transaction.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query('CREATE TABLE counters (id text PRIMARY KEY, count int NOT NULL)')
})
afterAll(() => database.close())

/** Pending transactions of other connections. */
const others: Promise<unknown>[] = []
const othersEnd = () => Promise.all(others.splice(0))
afterEach(async () => {
  await othersEnd()
})

async function addOne(tx: Tx, id: string): Promise<void> {
  await sql`UPDATE counters SET count = count + 1 WHERE id = ${id}`.execute(tx)
}

/**
 * Increments both counters and causes a deadlock with another connection, which increments them in the reverse order.
 */
async function addInDeadlock(tx: Tx): Promise<void> {
  // The other connection of an earlier attempt may still wait for a row.
  await othersEnd()
  const other = await database.pool.connect()
  await sql`SET LOCAL deadlock_timeout = '10ms'`.execute(tx)
  await addOne(tx, 'a')
  // PostgreSQL cancels the connection that detects a deadlock first.
  await other.query(
    "BEGIN; SET LOCAL deadlock_timeout = '1min'; UPDATE counters SET count = count + 1 WHERE id = 'b'",
  )
  const waiting = other.query("UPDATE counters SET count = count + 1 WHERE id = 'a'")
  others.push(waiting.then(() => other.query('COMMIT')).finally(() => other.release()))
  await waitForLock(database.pool)
  await addOne(tx, 'b')
}

async function resetCounters(): Promise<void> {
  await database.pool.query("TRUNCATE counters; INSERT INTO counters VALUES ('a', 0), ('b', 0)")
}

async function readCounters(): Promise<Record<string, number>> {
  const { rows } = await database.pool.query<{ id: string; count: number }>('SELECT * FROM counters')
  return Object.fromEntries(rows.map(({ id, count }) => [id, count]))
}

it('reruns a transaction after a deadlock, and its changes count once', async () => {
  await resetCounters()
  let tries = 0
  const result = await inTransaction(database.db, async (tx) => {
    if (++tries === 1) await addInDeadlock(tx)
    await othersEnd()
    for (const id of ['a', 'b']) await addOne(tx, id)
    return `try ${tries}`
  })
  expect(result).toBe('try 2')
  await othersEnd()
  expect(await readCounters()).toEqual({ a: 2, b: 2 })
})

it('throws the error of a deadlock after four attempts', async () => {
  await resetCounters()
  let tries = 0
  const work = inTransaction(database.db, async (tx) => {
    tries++
    await addInDeadlock(tx)
  })
  await expect(work).rejects.toMatchObject({ code: '40P01' })
  expect(tries).toBe(4)
  await othersEnd()
  expect(await readCounters()).toEqual({ a: 4, b: 4 })
})

it('reruns a transaction after a serialization failure', async () => {
  await resetCounters()
  let tries = 0
  await inTransaction(database.db, async (tx) => {
    await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`.execute(tx)
    await sql`SELECT FROM counters`.execute(tx)
    if (++tries === 1) await database.pool.query("UPDATE counters SET count = 10 WHERE id = 'a'")
    await addOne(tx, 'a')
  })
  expect(tries).toBe(2)
  expect(await readCounters()).toEqual({ a: 11, b: 0 })
})

it('does not rerun a transaction that fails for another reason', async () => {
  await resetCounters()
  let tries = 0
  const work = inTransaction(database.db, async (tx) => {
    tries++
    await sql`INSERT INTO counters VALUES ('a', 0)`.execute(tx)
  })
  await expect(work).rejects.toMatchObject({ code: '23505' })
  expect(tries).toBe(1)
})

it('continues after a newer release has added a column, within and outside of a transaction', async () => {
  await resetCounters()
  const read = sql<{ id: string }>`SELECT * FROM counters WHERE id = 'a'`
  const add = sql<{ id: string }>`UPDATE counters SET count = count + 1 WHERE id = 'a' RETURNING *`
  const both = async () => {
    const found = await inTransaction(database.db, async (tx) => [
      ...(await read.execute(tx)).rows,
      ...(await add.execute(tx)).rows,
    ])
    return [...found, ...(await add.execute(database.db)).rows]
  }
  // Prepares the statements on several connections.
  await Promise.all([both(), both(), both()])
  await database.pool.query('ALTER TABLE counters ADD COLUMN note text')
  const answers = await Promise.all([both(), both(), both()])
  expect(answers.flat()).toHaveLength(9)
  expect(answers.flat().every((row) => 'note' in row)).toBe(true)
  expect(await readCounters()).toMatchObject({ a: 12 })
  await database.pool.query('ALTER TABLE counters DROP COLUMN note')
})
