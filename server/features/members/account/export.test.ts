import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { exportUser as exportCall, getUser, signIn } from '#contract/members.ts'
import { trimEvents } from '#server/features/tracking/event-queries.ts'
import { password, registerMember } from '#server/testing/builders/register-member.ts'
import { setConsent, trackedVisitor } from '#server/testing/site/tracked-visitor.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import { Visitor } from '#server/testing/site/visitor.ts'
import { recordQueries } from '#server/testing/database/record-queries.ts'
import { createSlots } from '#server/platform/http/limits/concurrency-slots.ts'
import { exportUser } from './export-user.ts'
import { newGuest } from '#server/features/members/members.ts'
import type { LifecycleHooks } from '#server/features/members/lifecycle-hooks.ts'

/** The next page of `slowList`, which waits until the test resolves this promise. */
let page = Promise.withResolvers<unknown[]>()
async function* slowList() {
  yield await page.promise
}

const maxBytes = 64 * 1024
let site: TestSite
let gated: TestSite
beforeAll(async () => {
  const lifecycleHooks: Partial<LifecycleHooks> = { export: [async () => ({ slow: slowList() })] }
  site = await startTestSite({}, { MAX_EVENT_KB_PER_USER: String(maxBytes / 1024) })
  gated = await startTestSite({ lifecycleHooks })
})
afterAll(() => Promise.all([site.close(), gated.close()]))

/** Stores events of a user, each with this number of incompressible bytes. */
async function fillEvents(userId: string, events: number, bytes: number): Promise<void> {
  await site.context.database.pool.query(
    `INSERT INTO events (at, id, name, fields, user_id)
     SELECT now() - n * interval '1 s', gen_random_uuid(), 'filled', jsonb_build_object('text', (SELECT string_agg(md5(n || ' ' || part), '') FROM generate_series(1, $3::int / 32) part)), $1
     FROM generate_series(1, $2::int) n`,
    [userId, events, bytes],
  )
}

const bytesOf = async (userId: string) => {
  const { rows } = await site.context.database.pool.query<{ bytes: number; events: number }>(
    'SELECT sum(pg_column_size(fields))::int AS bytes, count(*)::int AS events FROM events WHERE user_id = $1',
    [userId],
  )
  return rows[0] ?? { bytes: 0, events: 0 }
}

test('an export reads its next page of events only after the client has received the previous page', async () => {
  const { user } = await registerMember(site)
  await fillEvents(user.id, 5000, 64)
  const viewer = { userId: user.id, role: 'member' as const, isStored: true }
  const call = { ...callOf(), viewer }
  const { chunks, sendLimits } = await exportUser(site.context, call)
  const pagesRead = recordQueries('events')
  const iterator = chunks[Symbol.asyncIterator]()
  let text = ''
  while (!text.includes('"name": "filled"')) text += (await iterator.next()).value
  expect(pagesRead()).toHaveLength(1)
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) text += next.value
  sendLimits.onDone()
  expect(pagesRead()).toHaveLength(21)
  expect(JSON.parse(text).info.events).toHaveLength(5000)
})

test('only one export of a user can run at a time', async () => {
  const { visitor, email } = await registerMember(gated)
  const direct = new Visitor(gated.directUrl)
  await direct.callOk(getUser)
  await direct.callOk(signIn, { body: { email, password } })
  page = Promise.withResolvers()
  const first = await requestUnread(gated.directUrl, direct.cookie)
  const second = await direct.call(exportCall)
  expect([second.status, second.answer.code]).toEqual([429, 429])
  expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
  page.resolve([1])
  expect((await first.json()).info.slow).toEqual([1])
  // The slot of an export becomes free only after its client has received the last byte.
  await expect.poll(async () => (await direct.call(exportCall)).status).toBe(200)
  await expect.poll(async () => (await visitor.call(exportCall)).answer.info).toMatchObject({ slow: [1] })
})

test('an export ends when its client disconnects, and frees its slot', async () => {
  const { email } = await registerMember(gated)
  const direct = new Visitor(gated.directUrl)
  await direct.callOk(getUser)
  await direct.callOk(signIn, { body: { email, password } })
  page = Promise.withResolvers()
  const leaving = new AbortController()
  await requestUnread(gated.directUrl, direct.cookie, leaving.signal)
  expect((await direct.call(exportCall)).status).toBe(429)
  leaving.abort()
  page.resolve([])
  await expect.poll(async () => (await direct.call(exportCall)).status).toBe(200)
})

test('a network can use at most half of a process’s export slots', async () => {
  const context = {
    ...gated.context,
    concurrencySlots: createSlots(),
    resourceLimits: { ...site.context.resourceLimits, concurrentExports: 2 },
  }
  const ask = (ip: string) => exportUser(context, { ...callOf(), ip, viewer: newGuest() })
  const first = await ask('10.0.0.1')
  await expect(ask('10.0.0.1')).rejects.toMatchObject({ reason: 'tooManyRequests' })
  await ask('10.0.0.2')
  await expect(ask('10.0.0.3')).rejects.toMatchObject({ reason: 'tooManyRequests' })
  first.sendLimits.onDone()
  await ask('10.0.0.3')
})

test("a user's oldest events beyond the maximum size are deleted", async () => {
  const { visitor, userId } = await trackedVisitor(site, true)
  await fillEvents(userId, 100, 2000)
  const fields = Object.fromEntries(Array.from({ length: 16 }, (_, index) => [`f${index}`, 'x'.repeat(250)]))
  expect((await bytesOf(userId)).bytes).toBeGreaterThan(maxBytes)
  // Only some events, chosen at random, cause trimming. So events are sent until one of them does.
  await vi.waitFor(async () => {
    await visitor.fetch(`/api/statics.png?${new URLSearchParams({ event: 'newest', ...fields }).toString()}`)
    expect((await bytesOf(userId)).bytes).toBeLessThan(maxBytes)
  }, 60_000)
  const newest = site.context.db.selectFrom('events').select('id').where('name', '=', 'newest')
  await expect.poll(() => newest.execute()).not.toEqual([])
})

test('the events of several guests who sign in to one account are limited to the maximum of one user', async () => {
  const { user, email } = await registerMember(site)
  await setConsent(site, user.id, true)
  for (let guests = 0; guests < 3; guests++) {
    const { visitor, userId } = await trackedVisitor(site, true)
    await fillEvents(userId, 20, 2000)
    await visitor.callOk(signIn, { body: { email, password } })
  }
  const { bytes, events } = await bytesOf(user.id)
  expect(bytes).toBeLessThan(maxBytes)
  expect(events).toBeGreaterThan(20)
})

test('trimming does not wait for events that another transaction has locked', async () => {
  const { userId } = await trackedVisitor(site, true)
  await fillEvents(userId, 10, 2000)
  await site.context.db.transaction().execute(async (tx) => {
    await tx.selectFrom('events').select('id').where('user_id', '=', userId).forUpdate().execute()
    await trimEvents(site.context.db, userId, 1)
  })
  expect((await bytesOf(userId)).events).toBe(10)
})

function callOf() {
  return {
    query: {},
    body: {},
    language: 'en' as const,
    idempotencyKey: undefined,
    ip: '10.0.0.1',
    userAgent: '',
    timeZone: () => undefined,
    adIds: () => ({ referrerToken: undefined, fbclid: undefined, ttclid: undefined }),
    setHeader: () => {},
    cookie: () => undefined,
    serialise: () => {
      throw new Error('not requested')
    },
  }
}

/** Requests an export without reading its body. The test client `Visitor` would read the body to its end. */
function requestUnread(url: string, cookie: string, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(url + exportCall.path, { headers: { cookie }, signal })
}
