import { afterAll, beforeAll, expect, test } from 'vitest'
import { Refusal } from '#contract/errors.ts'
import { testDatabase, type TestDatabase } from '#server/testing/template-database.ts'
import { answerOnce } from './idempotency.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

const request = (key: string | undefined, body: object = { order_id: 'ord_1' }) => ({
  userId: 'usr_1',
  key,
  path: '/api/payment/pay',
  body,
})

test('the work is done once however many ask at once, and nobody is answered before it is finished', async () => {
  let [runs, finished] = [0, false]
  const gate = Promise.withResolvers<void>()
  const work = async () => {
    runs++
    await gate.promise
    finished = true
    return { answer: runs }
  }
  const asked = Array.from({ length: 50 }, async () => {
    const answer = await answerOnce(database.db, request('fifty'), work)
    return { answer, finished }
  })
  await expect
    .poll(() =>
      database.db.selectFrom('idempotency_keys').select('holder').where('key', '=', 'fifty').execute(),
    )
    .toHaveLength(1)
  gate.resolve()
  expect(new Set((await Promise.all(asked)).map((each) => JSON.stringify(each)))).toEqual(
    new Set(['{"answer":{"answer":1},"finished":true}']),
  )
  expect(runs).toBe(1)
})

test('without a key each request is its own', async () => {
  let runs = 0
  await Promise.all([1, 2].map(() => answerOnce(database.db, request(undefined), async () => ++runs)))
  expect(runs).toBe(2)
})

test('a refusal is the answer too, with what it says', async () => {
  const refuse = () => Promise.reject(new Refusal('nameInvalid', { field: 'first_name' }))
  for (const work of [refuse, async () => 'another']) {
    await expect(answerOnce<unknown>(database.db, request('refused'), work)).rejects.toMatchObject({
      reason: 'nameInvalid',
      info: { field: 'first_name' },
    })
  }
})

test.each([new Error('the database is gone'), new Refusal('paymentUnknown')])(
  'what is no answer is not kept: %s',
  async (error) => {
    const key = `open ${error.message}`
    await expect(answerOnce(database.db, request(key), () => Promise.reject(error))).rejects.toBe(error)
    expect(await answerOnce(database.db, request(key), async () => 'now')).toBe('now')
  },
)

test('the order of the fields makes no other body, another value does', async () => {
  expect(
    await answerOnce(database.db, request('body', { a: 1, b: { c: [2], d: 3 } }), async () => 'first'),
  ).toBe('first')
  expect(
    await answerOnce(database.db, request('body', { b: { d: 3, c: [2] }, a: 1 }), async () => 'second'),
  ).toBe('first')
  await expect(
    answerOnce(database.db, request('body', { a: 1, b: { c: [], d: 3 } }), async () => 'third'),
  ).rejects.toMatchObject({ reason: 'keyReused' })
})

test('a holder that died is followed once its lease is over, with the same reserved id', async () => {
  let reserved = ''
  const gate = Promise.withResolvers<void>()
  const dead = answerOnce(database.db, request('lease'), async (id) => {
    reserved = id
    await gate.promise
    return 'from the dead'
  })
  await expect.poll(() => reserved).not.toBe('')
  let follower: string | undefined
  const waiting = answerOnce(database.db, request('lease'), async (id) => (follower = id))
  expect(follower).toBeUndefined()
  await database.pool.query(
    `UPDATE idempotency_keys SET held_until = now() - interval '1 second' WHERE key = 'lease'`,
  )
  expect(await waiting).toBe(reserved)
  gate.resolve()
  expect(await dead).toBe('from the dead')
  expect(await answerOnce(database.db, request('lease'), async () => 'third')).toBe(reserved)
})
