import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { getHomepage } from '#contract/catalog.ts'
import { listFavorites } from '#contract/library.ts'
import { changeUser, getUser } from '#contract/members.ts'
import { getHealth } from '#contract/health.ts'
import { shareCallCounts } from '#server/platform/database/share-call-counts.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { recordQueries } from '#server/testing/database/record-queries.ts'
import {
  countForNetworks,
  createCallCounter,
  type CallCounter,
} from '#server/platform/http/limits/call-counter.ts'

/** Creates a clock that advances only when the test moves it. */
function createManualClock(start = Date.UTC(2026, 0, 1, 12)) {
  let now = start
  return { now: () => new Date(now), move: (seconds: number) => void (now += seconds * 1000) }
}

const limit = { max: 10, seconds: 60 }
const alone = () => Promise.resolve([])
const callTimes = (counter: CallCounter, times: number, caller = 'ada') =>
  Array.from({ length: times }, () => counter.count(caller, limit))

describe('the call counter', () => {
  it('allows as many calls as the limit per caller, and then returns how long to wait', () => {
    const counter = createCallCounter(createManualClock(), alone)
    expect(callTimes(counter, 10)).toEqual(Array(10).fill(0))
    expect(counter.count('ada', limit)).toBeGreaterThan(0)
    expect(counter.count('bob', limit)).toBe(0)
  })

  it('allows a call again after exactly the returned time, not a second earlier', () => {
    const clock = createManualClock()
    const counter = createCallCounter(clock, alone)
    clock.move(42)
    callTimes(counter, 10)
    clock.move(20)
    const wait = counter.count('ada', limit)
    expect(wait).toBeGreaterThan(1)
    clock.move(wait - 1)
    expect(counter.count('ada', limit)).toBeGreaterThan(0)
    clock.move(1)
    expect(counter.count('ada', limit)).toBe(0)
  })

  it('does not reset at the full minute', () => {
    const clock = createManualClock()
    const counter = createCallCounter(clock, alone)
    clock.move(59)
    callTimes(counter, 10)
    clock.move(2)
    expect(callTimes(counter, 10).filter((wait) => wait === 0)).toEqual([])
  })

  it('applies a changed limit to the current window', () => {
    const counter = createCallCounter(createManualClock(), alone)
    callTimes(counter, 10)
    expect(counter.count('ada', { ...limit, max: 11 })).toBe(0)
    expect(counter.count('ada', { ...limit, max: 11 })).toBeGreaterThan(0)
  })

  it('does not count refused calls, so that a caller who keeps retrying is admitted again', () => {
    const clock = createManualClock()
    const counter = createCallCounter(clock, alone)
    callTimes(counter, 500)
    clock.move(120)
    expect(counter.count('ada', limit)).toBe(0)
  })

  it('does not count a call against the /64 if the /48 around it is at its limit', () => {
    const clock = createManualClock()
    const counter = createCallCounter(clock, alone)
    const callFrom = (subnet: number) => countForNetworks(counter, 'ip', `2001:db8:1:${subnet}::1`, limit)
    for (let calls = 0; calls < 160; calls++) expect(callFrom(calls % 16)).toBe(0)
    clock.move(60)
    for (let calls = 0; calls < 10; calls++) expect(callFrom(99)).toBeGreaterThan(0)
    clock.move(30)
    expect(Array.from({ length: 10 }, () => callFrom(99))).toEqual(Array(10).fill(0))
  })
})

describe('two processes', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createTestDatabase()
  })
  afterAll(() => database.close())

  const process = (clock: ReturnType<typeof createManualClock>) =>
    createCallCounter(clock, (counted) => shareCallCounts(database.pool, counted, clock.now()))

  it('add up their counts after an exchange', async () => {
    const clock = createManualClock()
    const [one, other] = [process(clock), process(clock)]
    callTimes(one, 6)
    callTimes(other, 3)
    await one.exchange()
    await other.exchange()
    expect(callTimes(other, 3)).toEqual([0, expect.any(Number), expect.any(Number)])
    await other.exchange()
    callTimes(one, 1)
    await one.exchange()
    expect(one.count('ada', limit)).toBeGreaterThan(0)
  })

  it('share the counts of the previous minute, and delete older counts', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 2))
    const [one, other] = [process(clock), process(clock)]
    callTimes(one, 10, 'eve')
    await one.exchange()
    clock.move(61)
    other.count('eve', limit)
    await other.exchange()
    expect(other.count('eve', limit)).toBeGreaterThan(0)
    clock.move(180)
    callTimes(one, 1, 'eve')
    await one.exchange()
    const { rows } = await database.pool.query('SELECT calls FROM api_call_counts WHERE caller = $1', ['eve'])
    expect(rows).toEqual([{ calls: 1 }])
  })

  it('continue to count alone while the database is unavailable, without losing counts', async () => {
    const clock = createManualClock(Date.UTC(2026, 0, 3))
    let away = true
    const counter = createCallCounter(clock, (counted) =>
      away ? Promise.reject(new Error('away')) : shareCallCounts(database.pool, counted, clock.now()),
    )
    callTimes(counter, 4, 'zoe')
    await expect(counter.exchange()).rejects.toThrow('away')
    callTimes(counter, 4, 'zoe')
    away = false
    await counter.exchange()
    const { rows } = await database.pool.query('SELECT calls FROM api_call_counts WHERE caller = $1', ['zoe'])
    expect(rows).toEqual([{ calls: 8 }])
    expect(callTimes(counter, 3, 'zoe')).toEqual([0, 0, expect.any(Number)])
  })
})

describe('a site with a rate limit', () => {
  let site: TestSite
  beforeAll(async () => {
    // If the site has two processes, each may allow the full limit until they have exchanged their counts.
    site = await startTestSite({}, { RATE_LIMIT_API_PER_USER: '5/h', RATE_LIMIT_API_PER_IP: '60/h' })
  })
  afterAll(() => site.close())

  it('answers 429 with Retry-After only to the viewer who called too often, in the language of the viewer', async () => {
    const [visitor, other] = [site.visitor({ 'accept-language': 'es' }), site.visitor()]
    await visitor.callOk(getUser)
    await other.callOk(getUser)
    const calls = []
    for (let index = 0; index < 12; index++) calls.push(await visitor.call(listFavorites))
    const refused = calls.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.at(-1)?.answer).toMatchObject({ code: 429, message: expect.stringContaining('Espera') })
    expect(Number(refused.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await other.call(listFavorites)).status).toBe(200)
    expect((await visitor.call(getHealth)).status).toBe(200)
  })

  it('refuses a limited viewer without a database query', async () => {
    const visitor = site.visitor()
    await visitor.callOk(getUser)
    // A guest with a stored row would otherwise be looked up.
    await visitor.callOk(changeUser, { body: { display_name: 'Ada' } })
    for (let index = 0; index < 12; index++) await visitor.call(listFavorites)
    const recordedQueries = recordQueries('users')
    const answers = [await visitor.call(listFavorites), await visitor.call(listFavorites)]
    expect(answers.map(({ status }) => status)).toEqual([429, 429])
    expect(recordedQueries()).toEqual([])
  })

  it('counts beacon events per viewer, stores none beyond the limit, and then refuses further events', async () => {
    const [visitor, other] = [site.visitor(), site.visitor()]
    const send = async (from: typeof visitor, event: string) =>
      (await from.fetch(`/api/statics.png?event=${event}`)).status
    await visitor.callOk(getUser)
    await other.callOk(getUser)
    const statuses = []
    for (let index = 0; index < 14; index++) statuses.push(await send(visitor, 'too_many'))
    expect(statuses.slice(0, 4)).toEqual([200, 200, 200, 200])
    expect(statuses.at(-1)).toBe(429)
    const written = (name: string) =>
      site.context.db.selectFrom('events').select('id').where('name', '=', name).execute()
    expect([await send(other, 'one_more'), await send(other, 'one_more')]).toEqual([200, 200])
    await vi.waitFor(async () => expect(await written('one_more')).toHaveLength(2), { timeout: 60_000 })
    const loggedCount = (await written('too_many')).length
    expect(loggedCount).toBeGreaterThan(3)
    // A pixel is sent before its event is counted. So each process also answers the first event beyond the limit, but
    // does not store it.
    expect(loggedCount).toBeLessThan(statuses.filter((status) => status === 200).length)
  })

  it('also limits the calls of an IP address, but no media requests and no health checks', async () => {
    const statuses = []
    for (let index = 0; index < 130; index++) statuses.push((await site.visitor().call(getHomepage)).status)
    expect(statuses.at(-1)).toBe(429)
    expect((await fetch(`${site.url}/%61pi/homepage`)).status).toBe(429)
    expect((await site.visitor().fetch('/api/webhook/payment/paypal-cancel')).status).toBe(429)
    expect((await site.visitor().call(getHealth)).status).toBe(200)
    expect((await site.visitor().fetch('/public/nothing/still.webp')).status).toBe(404)
  })
})
