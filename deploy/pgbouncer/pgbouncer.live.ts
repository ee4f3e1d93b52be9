import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { getHomepage, getVideo, queryHomepage } from '#contract/catalog.ts'
import { listHistory, saveHistory } from '#contract/library.ts'
import { getEpisode } from '#contract/media.ts'
import { startWithCleanEnv } from '#deploy/release/run-release.ts'
import { buildVideo, noStorage, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import { Shopper } from '#server/testing/builders/shopper.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { unlimited, unlimitedQuotas } from '#server/testing/site/unlimited.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import { startPgBouncer, type PgBouncer } from './run-pgbouncer.ts'

const root = join(import.meta.dirname, '..', '..')
const patienceMs = 240_000
/** Maximum number of PgBouncer's database connections: far fewer than one process of the site opens. */
const poolSize = 3
const clients = 8

let database: TestDatabase
let pooler: PgBouncer
let video: BuiltVideo
let url: string
const dataDir = mkdtempSync(join(tmpdir(), 'cliffhanger-pooled-'))
const running: ReturnType<typeof startWithCleanEnv>[] = []

/** Starts a process of the site with these settings. */
async function start(settings: Record<string, string>, script = 'server/main.ts') {
  const port = await freePort()
  const env = {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: dataDir,
    APP_SECRET: 'a secret of thirty-two characters',
    ROLE: 'web',
    PORT: String(port),
    // Calls of a busy machine wait longer than the site's default of 4 s.
    DATABASE_POOL_TIMEOUT_SECONDS: '60',
    RATE_LIMIT_API_PER_USER: unlimited,
    RATE_LIMIT_API_PER_IP: unlimited,
    ...unlimitedQuotas,
    ...settings,
  }
  const program = startWithCleanEnv(root, [process.execPath, script], env)
  running.push(program)
  return { ...program, url: `http://127.0.0.1:${port}` }
}

beforeAll(async () => {
  database = await createTestDatabase()
  video = await buildVideo({ db: database.db, storage: noStorage }, { title: 'Harbour Lights' })
  pooler = await startPgBouncer(database.url, { default_pool_size: String(poolSize) })
  const site = await start({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url })
  url = site.url
  const ready = waitUntil('the site is ready', () => isReachable(`${url}/api/ready`), patienceMs)
  await Promise.race([ready, site.ended.then(() => Promise.reject(new Error(site.output())))])
  expect(site.output()).not.toMatch(/without end/)
})
afterAll(async () => {
  for (const { child } of running) {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
  await pooler?.close()
  await database?.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/**
 * Loads the homepage, plays a free episode, adds the video to the favorites, then buys an episode and plays it.
 * @returns the order's id
 */
async function watchAndBuyEpisode(): Promise<string> {
  const shopper = await Shopper.create({ visitor: visitorFactory(url) })
  const { visitor } = shopper
  await visitor.callOk(getHomepage)
  await visitor.callOk(queryHomepage, { query: { keyword: 'harbour' } })
  await visitor.callOk(getVideo, { query: { id: video.id } })
  const [first, locked] = [video.episodes[0]?.id ?? '', video.episodes.at(-1)?.id ?? '']
  await visitor.callOk(getEpisode, { query: { episode_id: first } })
  for (const position_ms of [2000, 5000]) {
    const body = { video_id: video.id, episode_id: first, position_ms, at: new Date().toISOString() }
    await visitor.callOk(saveHistory, { body })
  }
  const { list } = await visitor.callOk(listHistory)
  expect(list[0]).toMatchObject({ position_ms: 5000 })
  const { info: order } = await shopper.buy({ episode_id: locked, method: 'card' })
  expect(order).toMatchObject({ status: 'paid' })
  await visitor.callOk(getEpisode, { query: { episode_id: locked } })
  return order?.id ?? ''
}

it('serves visits from the homepage to a paid episode through PgBouncer in transaction mode', async () => {
  const orders = await Promise.all(Array.from({ length: clients }, watchAndBuyEpisode))
  expect(new Set(orders).size).toBe(clients)
  const webhooks = () =>
    database.pool
      .query<{ applied: number }>(
        "SELECT count(*)::int AS applied FROM webhook_events WHERE gateway = 'sandbox' AND applied_at IS NOT NULL",
      )
      .then(({ rows }) => rows[0]?.applied ?? 0)
  await waitUntil('the webhooks are applied', async () => (await webhooks()) >= clients, patienceMs)
})

it('leaves no session state in shared connections', async () => {
  const client = new pg.Client({ connectionString: pooler.url })
  await client.connect()
  try {
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS prepared, current_setting('statement_timeout') AS bound,
        (SELECT count(*)::int FROM pg_listening_channels()) AS listening`,
    )
    expect(rows).toEqual([{ prepared: 0, bound: '10s', listening: 0 }])
  } finally {
    await client.end()
  }
})

it('returns a retryable error if all connections of PgBouncer are in use', async () => {
  const clients = Array.from({ length: poolSize }, () => new pg.Client({ connectionString: pooler.url }))
  const visitor = visitorFactory(url)()
  const search = (keyword: string) => visitor.call(queryHomepage, { query: { keyword } })
  try {
    for (const client of clients) {
      await client.connect()
      await client.query('BEGIN')
    }
    const { status, headers } = await search('lights')
    expect({ status, after: headers.get('retry-after') }).toEqual({ status: 503, after: '5' })
  } finally {
    for (const client of clients) await client.end()
  }
  await waitUntil('the site answers again', async () => (await search('lights')).status === 200, patienceMs)
})

it('continues after a restart of PgBouncer', async () => {
  await pooler.restart()
  const isResponding = async () => (await visitorFactory(url)().call(queryHomepage)).status === 200
  await waitUntil('the site answers again', isResponding, patienceMs)
  expect(await watchAndBuyEpisode()).toMatch(/^ord_/)
})

it('receives notifications of changed settings through the direct connection', async () => {
  const visitor = visitorFactory(url)()
  const set = async (maintenance: boolean) =>
    database.pool.query(
      `WITH notified AS (SELECT pg_notify('settings', ''))
       INSERT INTO settings (key, value) SELECT 'site', $1::jsonb FROM notified
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      [JSON.stringify({ maintenance })],
    )
  const statusIs = (status: number) => async () => (await visitor.call(getHomepage)).status === status
  await set(true)
  // Without notifications by LISTEN, each process polls the settings once a minute.
  await waitUntil('the site is closed', statusIs(503), 60_000)
  await set(false)
  await waitUntil('the site is open', statusIs(200), 60_000)
})

it('migrates through the direct connection', async () => {
  const program = await start(
    { DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url },
    'server/migrate.ts',
  )
  expect(await program.ended, program.output()).toEqual([0, null])
})

it('runs a worker through the direct connection', async () => {
  const before = await database.pool.query<{ at: Date }>('SELECT now() AS at')
  await start({ DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: database.url, ROLE: 'worker' })
  const hasRunJob = async () => {
    const { rowCount } = await database.pool.query('SELECT FROM scheduled_jobs WHERE succeeded_at > $1', [
      before.rows[0]?.at,
    ])
    return Number(rowCount) > 0
  }
  await waitUntil('a job has run', hasRunJob, patienceMs)
})

const ignoredParameters = 'options,statement_timeout,lock_timeout,idle_in_transaction_session_timeout'

it.each([
  ['in transaction mode', {}, /This is PgBouncer: set DATABASE_DIRECT_URL/],
  [
    'in transaction mode that ignores session settings',
    { ignore_startup_parameters: ignoredParameters },
    /DATABASE_URL is the address of a pooler in transaction mode: set DATABASE_DIRECT_URL/,
  ],
  [
    'in session mode with too few connections',
    { pool_mode: 'session', ignore_startup_parameters: ignoredParameters },
    /DATABASE_URL accepted only 3 of the 24 connections .*default_pool_size/,
  ],
])(
  'without a direct connection, refuses to start behind PgBouncer %s, and logs what to change',
  async (_, settings, expectedMessage) => {
    const testPooler = await startPgBouncer(database.url, {
      default_pool_size: String(poolSize),
      ...settings,
    })
    try {
      const program = await start({ DATABASE_URL: testPooler.url })
      expect(await program.ended).toEqual([1, null])
      expect(program.output()).toMatch(expectedMessage)
    } finally {
      await testPooler.close()
    }
  },
)

it('refuses to start if PgBouncer accepts too few clients, and logs what to change', async () => {
  const limitedPooler = await startPgBouncer(database.url, { max_client_conn: '10' })
  try {
    const program = await start({ DATABASE_URL: limitedPooler.url, DATABASE_DIRECT_URL: database.url })
    expect(await program.ended).toEqual([1, null])
    expect(program.output()).toMatch(/accepted only \d+ of the 24 connections .*max_client_conn/)
  } finally {
    await limitedPooler.close()
  }
})
