import type pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { getHomepage, queryHomepage } from '#contract/catalog.ts'
import { getHealth, getReady } from '#contract/health.ts'
import { getReports } from '#contract/tracking.ts'
import { requestPoolOptions, openDatabase, type Database } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { readResourceLimits } from '#server/platform/config/read-resource-limits.ts'
import { startDatabaseProxy, type DatabaseProxy } from '#server/testing/database/database-proxy.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { advancingClock } from '#server/testing/fakes/advancing-clock.ts'
import { startTestSite, type TestSite } from '#server/testing/site/test-site.ts'
import type { Visitor } from '#server/testing/site/visitor.ts'
import type { Tables } from '#server/tables.ts'

/** Shorter than in production, to keep the tests fast, but long enough for a query on a busy machine. */
const timeouts = {
  ...requestPoolOptions(readResourceLimits({ DATABASE_POOL_TIMEOUT_SECONDS: '2' })),
  query_timeout: 2500,
}

let own: TestDatabase
let proxy: DatabaseProxy
let database: Database<Tables>
let site: TestSite
let visitor: Visitor
let pages = 0

beforeAll(async () => {
  own = await createTestDatabase()
  proxy = await startDatabaseProxy(own.url)
  const log = createLog({ json: true, level: 'silent' })
  database = await openDatabase<Tables>(
    { dataDir: '', databaseUrl: proxy.url, migrate: false },
    log,
    timeouts,
  )
  site = await startTestSite({ clock: advancingClock(), database })
  visitor = site.visitor()
})
afterEach(async () => {
  proxy.setSilent(false)
  // The site recovers without a restart.
  await expect.poll(() => answerOf(queryHomepage).then(({ status }) => status)).toBe(200)
})
afterAll(async () => {
  await site.close()
  await proxy.stop()
  await own.close()
})

/** Sends a call that needs the database; fails the test if no response arrives in time. */
async function answerOf(call: typeof queryHomepage | typeof getReports | typeof getReady) {
  // Each call has a different page size or order, so that the response cache cannot answer.
  pages++
  const query =
    call === queryHomepage ? { limit: 1 + (pages % 50), sort: pages < 50 ? 'newest' : 'popular' } : {}
  const headers = { 'accept-language': 'de' }
  const { status, headers: responseHeaders, answer } = await visitor.call(call, { headers, query })
  return { status, retryAfter: Number(responseHeaders.get('retry-after')), ...answer }
}

const unavailable = {
  status: 503,
  code: 503,
  message: 'Die Website ist noch nicht bereit. Bitte versuchen Sie es gleich noch einmal.',
  retryAfter: 5,
}

it('answers 503 with Retry-After while PostgreSQL refuses connections, stays alive, and recovers', async () => {
  await proxy.stop()
  expect(await answerOf(queryHomepage)).toMatchObject(unavailable)
  expect(await answerOf(getReports)).toMatchObject(unavailable)
  expect(await answerOf(getReady)).toMatchObject(unavailable)
  expect((await visitor.call(getHealth)).status).toBe(200)
  await proxy.restart()
  for (const call of [getReady, getHomepage])
    await expect.poll(() => visitor.call(call).then(({ status }) => status)).toBe(200)
})

it('answers 503 to a call whose connection breaks in the middle of a query', async () => {
  await answerOf(queryHomepage)
  proxy.setSilent(true)
  const answer = answerOf(queryHomepage)
  await expect.poll(() => database.pool.totalCount - database.pool.idleCount).toBeGreaterThan(0)
  proxy.breakAll()
  expect(await answer).toMatchObject(unavailable)
})

it('answers 503 in time if PostgreSQL stops responding, and does not reuse a stuck connection', async () => {
  await answerOf(queryHomepage)
  proxy.setSilent(true)
  expect(await Promise.all([answerOf(queryHomepage), answerOf(getReports)])).toMatchObject([
    unavailable,
    unavailable,
  ])
  proxy.setSilent(false)
  expect((await answerOf(queryHomepage)).status).toBe(200)
})

it('answers 503 in time if every connection is in use', async () => {
  const { pool } = database
  expect(pool.options.connectionTimeoutMillis).toBe(2000)
  const clients: pg.PoolClient[] = []
  try {
    const takeOne = () =>
      pool.connect().then(
        (client) => clients.push(client),
        () => {},
      )
    // Takes one connection at a time: on a busy machine, opening all at once takes longer than a call may wait for one.
    // The site may hold some connections itself.
    await expect.poll(() => takeOne().then(() => pool.totalCount - pool.idleCount)).toBe(pool.options.max)
    await expect.poll(() => takeOne().then(() => answerOf(queryHomepage))).toMatchObject(unavailable)
  } finally {
    for (const client of clients) client.release()
  }
})
