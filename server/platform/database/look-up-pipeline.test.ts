import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'
import type { Db } from '#server/tables.ts'
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

const build = (_: Db, { divisor }: Slots<{ divisor: number }>) =>
  sql<Answer>`SELECT 12 / ${divisor}::int AS quotient, pg_backend_pid() AS connection`
const lookUpQuotient = lookUp(build)
const divide = async (divisor: number) => (await lookUpQuotient(database.db, { divisor }))[0]

it('takes look-ups that are made at once, each with its own answer', async () => {
  const answers = await Promise.all([1, 2, 3, 4].map(divide))
  expect(answers.map((answer) => answer?.quotient)).toEqual([12, 6, 4, 3])
  expect(new Set(answers.map((answer) => answer?.connection)).size).toBe(1)
})

it('keeps nobody waiting for what is no look-up', async () => {
  const slow = prepared(
    (_: Db, { name }: Slots<{ name: string }>) => sql`SELECT pg_advisory_lock(hashtext(${name}))`,
  )
  const name = 'somebody has it'
  await database.db.connection().execute(async (holder) => {
    await sql`SELECT pg_advisory_lock(hashtext(${name}))`.execute(holder)
    const waiting = slow(database.db, { name })
    expect(await divide(3)).toMatchObject({ quotient: 4 })
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

it('connects anew once its connection has broken', async () => {
  const before = await divide(2)
  const terminate = () => database.pool.query('SELECT pg_terminate_backend($1)', [before?.connection])
  await terminate()
  await expect.poll(() => divide(2).catch(() => undefined)).toMatchObject({ quotient: 6 })
  expect((await divide(2))?.connection).not.toBe(before?.connection)
})
