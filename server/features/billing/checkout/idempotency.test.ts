import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Fault, Refusal } from '#contract/errors.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { deleteOldKeys } from './idempotency-queries.ts'
import { runIdempotently } from './idempotency.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.close())
afterEach(() => {
  vi.useRealTimers()
})

const request = (key: string | undefined, body: object = { order_id: 'ord_1' }) => ({
  userId: 'usr_1',
  key,
  path: '/api/payment/pay',
  body,
  now: new Date(),
})

test('fifty concurrent requests do the work once, and all wait until it is finished', async () => {
  let [runs, finished] = [0, false]
  const gate = Promise.withResolvers<void>()
  const work = async () => {
    runs++
    await gate.promise
    finished = true
    return { answer: runs }
  }
  const requests = Array.from({ length: 50 }, async () => {
    const answer = await runIdempotently(database.db, request('fifty'), work)
    return { answer, finished }
  })
  await expect
    .poll(() =>
      database.db.selectFrom('idempotency_keys').select('lease_owner').where('key', '=', 'fifty').execute(),
    )
    .toHaveLength(1)
  gate.resolve()
  expect(new Set((await Promise.all(requests)).map((each) => JSON.stringify(each)))).toEqual(
    new Set(['{"answer":{"answer":1},"finished":true}']),
  )
  expect(runs).toBe(1)
})

test('requests without a key each do their own work', async () => {
  let runs = 0
  await Promise.all([1, 2].map(() => runIdempotently(database.db, request(undefined), async () => ++runs)))
  expect(runs).toBe(2)
})

test('a refusal is replayed with its details', async () => {
  const refuse = () => Promise.reject(new Refusal('nameInvalid', { field: 'first_name' }))
  for (const work of [refuse, async () => 'another']) {
    await expect(runIdempotently<unknown>(database.db, request('refused'), work)).rejects.toMatchObject({
      reason: 'nameInvalid',
      info: { field: 'first_name' },
    })
  }
})

test.each([
  new Error('the database is gone'),
  new Refusal('paymentOutcomeUnknown'),
  new Refusal('methodSetupUnknown'),
])('a repeated request does the work again after a temporary error: %s', async (error) => {
  const key = `open ${error.message}`
  await expect(runIdempotently(database.db, request(key), () => Promise.reject(error))).rejects.toBe(error)
  expect(await runIdempotently(database.db, request(key), async () => 'now')).toBe('now')
})

test('a key accepts a body with its fields in another order, and refuses a body with another value', async () => {
  expect(
    await runIdempotently(database.db, request('body', { a: 1, b: { c: [2], d: 3 } }), async () => 'first'),
  ).toBe('first')
  expect(
    await runIdempotently(database.db, request('body', { b: { d: 3, c: [2] }, a: 1 }), async () => 'second'),
  ).toBe('first')
  await expect(
    runIdempotently(database.db, request('body', { a: 1, b: { c: [], d: 3 } }), async () => 'third'),
  ).rejects.toMatchObject({ reason: 'idempotencyKeyReused' })
})

test('when the lease of the first request expires, a waiting request does the work, with the id reserved for the first request', async () => {
  // Prevents the first request from renewing the lease that the test lets expire.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  let reserved = ''
  const gate = Promise.withResolvers<void>()
  const dead = runIdempotently(database.db, request('lease'), async (id) => {
    reserved = id
    await gate.promise
    return 'from the dead'
  })
  await expect.poll(() => reserved).not.toBe('')
  let follower: string | undefined
  const waiting = runIdempotently(database.db, request('lease'), async (id) => (follower = id))
  expect(follower).toBeUndefined()
  await database.pool.query(
    `UPDATE idempotency_keys SET lease_expires_at = now() - interval '1 second' WHERE key = 'lease'`,
  )
  expect(await waiting).toBe(reserved)
  gate.resolve()
  expect(await dead).toBe('from the dead')
  expect(await runIdempotently(database.db, request('lease'), async () => 'third')).toBe(reserved)
})

/**
 * Sends two bodies with one key. Returns whether the bodies count as equal: the second request then gets the answer to
 * the first.
 */
async function isSame(key: string, first: object, second: object): Promise<boolean> {
  await runIdempotently(database.db, request(key, first), async () => 'first')
  return runIdempotently(database.db, request(key, second), async () => 'second').then(
    (answer) => answer === 'first',
    (error: Refusal) => {
      expect(error.reason).toBe('idempotencyKeyReused')
      return false
    },
  )
}

describe('two bodies', () => {
  test.each<[string, object, object]>([
    ['different ad click ids', { a: 1, fbclid: 'one', ttclid: 'one' }, { a: 1, fbclid: 'two' }],
    ['a different order of fields', { a: 1, b: 2, c: { d: 1, e: 2 } }, { c: { e: 2, d: 1 }, b: 2, a: 1 }],
    ['an undefined field', { a: undefined, b: null }, { b: null, a: undefined }],
  ])('are equal despite %s', async (name, first, second) => {
    expect(await isSame(`same ${name}`, first, second)).toBe(true)
  })

  test.each<[string, object, object]>([
    ['a different value', { a: 1 }, { a: 2 }],
    ['a different name', { a: 1 }, { b: 1 }],
    ['an additional field', { a: 1 }, { a: 1, b: 1 }],
    ['null instead of an object', { a: null }, { a: {} }],
    ['a list in a different order', { a: [1, 2] }, { a: [2, 1] }],
    ['a list instead of an object', { a: ['b'] }, { a: { 0: 'b' } }],
    ['a string instead of a number', { a: 1 }, { a: '1' }],
    ['a different nested value', { a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }],
    ['values swapped between fields', { a: 1, b: 2 }, { a: 2, b: 1 }],
    ['nested ad click ids', { a: { fbclid: 1 } }, { a: { fbclid: 2 } }],
  ])('differ because of %s', async (name, first, second) => {
    expect(await isSame(`other ${name}`, first, second)).toBe(false)
  })
})

test('a key is refused for another call, but accepted for another user', async () => {
  const answer = (change: object, info: string) =>
    runIdempotently(database.db, { ...request('shared'), ...change }, async () => info)
  expect(await answer({}, 'first')).toBe('first')
  await expect(answer({ path: '/api/order/create' }, 'second')).rejects.toMatchObject({
    reason: 'idempotencyKeyReused',
  })
  expect(await answer({ userId: 'usr_2' }, 'third')).toBe('third')
  expect(await answer({}, 'fourth')).toBe('first')
})

test('a key is refused with another body while its first request runs', async () => {
  const gate = Promise.withResolvers<void>()
  const first = runIdempotently(database.db, request('busy'), () => gate.promise)
  await expect
    .poll(() => database.db.selectFrom('idempotency_keys').select('key').where('key', '=', 'busy').execute())
    .toHaveLength(1)
  const second = runIdempotently(database.db, request('busy', { a: 1 }), async () => {})
  await expect(second).rejects.toMatchObject({ reason: 'idempotencyKeyReused' })
  gate.resolve()
  await first
})

test('a key has at most 255 characters', async () => {
  expect(await runIdempotently(database.db, request('k'.repeat(255)), async () => 'done')).toBe('done')
  await expect(runIdempotently(database.db, request('k'.repeat(256)), async () => 'done')).rejects.toEqual(
    new Fault('badRequest', 'Idempotency-Key is longer than 255 characters'),
  )
})

test.each([
  { kind: undefined, id: /^ord_/ },
  { kind: 'ord' as const, id: /^ord_/ },
  { kind: 'pmc' as const, id: /^pmc_/ },
])('the reserved id has the prefix of the requested kind: $kind', async ({ kind, id }) => {
  for (const key of [undefined, `kind ${kind}`])
    expect(
      await runIdempotently(database.db, { ...request(key), kind }, async (reserved) => reserved),
    ).toMatch(id)
})

test('a stored refusal that this release does not know is replayed as a failed payment', async () => {
  const key = 'removed refusal'
  const refuse = () => Promise.reject(new Refusal('cardDeclined', { a: 1 }))
  await expect(runIdempotently(database.db, request(key), refuse)).rejects.toThrow(Refusal)
  const response = JSON.stringify({ refusal: 'removedSince', info: { a: 1 } })
  await database.db.updateTable('idempotency_keys').set({ response }).where('key', '=', key).execute()
  await expect(
    runIdempotently<unknown>(database.db, request(key), async () => 'again'),
  ).rejects.toMatchObject({
    reason: 'paymentFailed',
    info: { a: 1 },
  })
})

describe('the lease of a running request', () => {
  const leaseExpiry = async (key: string) => {
    const rows = database.db.selectFrom('idempotency_keys').select('lease_expires_at').where('key', '=', key)
    return (await rows.executeTakeFirst())?.lease_expires_at.getTime() ?? 0
  }

  /** Starts a request that runs until `gate` is resolved. Its timers are fake. */
  async function startBlockedRequest(key: string) {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const gate = Promise.withResolvers<string>()
    const started = Promise.withResolvers<void>()
    const answer = runIdempotently(database.db, request(key), () => {
      started.resolve()
      return gate.promise
    })
    await started.promise
    return { gate, answer }
  }

  test('lasts fifteen seconds, and is renewed every five seconds', async () => {
    const before = Date.now()
    const { gate, answer } = await startBlockedRequest('renewed')
    const first = await leaseExpiry('renewed')
    expect(first).toBeGreaterThan(before + 14_000)
    expect(first).toBeLessThanOrEqual(Date.now() + 15_000)
    vi.advanceTimersByTime(4999)
    expect(await leaseExpiry('renewed')).toBe(first)
    await database.pool.query(`UPDATE idempotency_keys SET lease_expires_at = now() WHERE key = 'renewed'`)
    const beforeRenewal = Date.now()
    vi.advanceTimersByTime(1)
    await expect.poll(() => leaseExpiry('renewed')).toBeGreaterThan(beforeRenewal + 14_000)
    gate.resolve('done')
    expect(await answer).toBe('done')
  })

  test.each(['done', 'failed'])('is not renewed after the work is %s', async (how) => {
    const { gate, answer } = await startBlockedRequest(`over ${how}`)
    expect(vi.getTimerCount()).toBe(1)
    if (how === 'done') gate.resolve('done')
    else gate.reject(new Error('failed'))
    await answer.catch(() => {})
    expect(vi.getTimerCount()).toBe(0)
  })

  test('does not affect the response if its renewal fails', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const answer = runIdempotently(database.db, request('unrenewed'), async () => {
      vi.spyOn(database.db, 'updateTable').mockImplementationOnce(() => {
        throw new Error('the database is away')
      })
      vi.advanceTimersByTime(5000)
      return 'done'
    })
    expect(await answer).toBe('done')
  })

  test('ends immediately if the work fails', async () => {
    const { gate, answer } = await startBlockedRequest('released')
    gate.reject(new Error('failed'))
    await expect(answer).rejects.toThrow('failed')
    expect(await leaseExpiry('released')).toBeLessThanOrEqual(Date.now())
  })
})

test('a request that waits longer than 90 seconds is told to try again later', async () => {
  const gate = Promise.withResolvers<string>()
  const working = runIdempotently(database.db, request('slow'), () => gate.promise)
  await expect
    .poll(() => database.db.selectFrom('idempotency_keys').select('key').where('key', '=', 'slow').execute())
    .toHaveLength(1)
  const start = Date.now()
  const now = vi.spyOn(Date, 'now').mockReturnValue(start)
  const waiting = runIdempotently(database.db, request('slow'), async () => 'another')
  now.mockReturnValue(start + 90_000)
  await expect(waiting).rejects.toEqual(new Fault('unavailable', undefined, 5))
  gate.resolve('done')
  expect(await working).toBe('done')
})

test('keys are deleted if they are older than a given time', async () => {
  await runIdempotently(database.db, request('old'), async () => 'done')
  await runIdempotently(database.db, request('new'), async () => 'done')
  const old = new Date('2026-01-01T00:00:00Z')
  await database.pool.query(`UPDATE idempotency_keys SET created_at = $1 WHERE key = 'old'`, [old])
  const keys = async () => {
    const rows = database.db.selectFrom('idempotency_keys').select('key').where('key', 'in', ['old', 'new'])
    return (await rows.orderBy('key').execute()).map(({ key }) => key)
  }
  await deleteOldKeys(database.db, old)
  expect(await keys()).toEqual(['new', 'old'])
  await deleteOldKeys(database.db, new Date(old.getTime() + 1))
  expect(await keys()).toEqual(['new'])
})

test("a key is stored for a week by the site's clock, even if that clock is far ahead", async () => {
  const daysAfterExpiry = (days: number) => new Date(Date.now() + (30 + days) * 86_400_000)
  const aheadRequest = { ...request('ahead'), now: daysAfterExpiry(0) }
  expect(await runIdempotently(database.db, aheadRequest, async () => 'once')).toBe('once')
  await deleteOldKeys(database.db, new Date(daysAfterExpiry(6).getTime() - 7 * 86_400_000))
  expect(await runIdempotently(database.db, aheadRequest, async () => 'again')).toBe('once')
  await deleteOldKeys(database.db, new Date(daysAfterExpiry(8).getTime() - 7 * 86_400_000))
  expect(await runIdempotently(database.db, aheadRequest, async () => 'again')).toBe('again')
})
