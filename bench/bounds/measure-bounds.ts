import { execFileSync, fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { startEmbeddedDatabase } from '#server/platform/database/embedded/embedded-database.ts'
import { createLog } from '#server/platform/log.ts'
import { quotaSettings } from '#server/platform/config/read-quotas.ts'
import { sendStorageLoad, type LoadCounts } from './send-storage-load.ts'
import { registerBenchMember } from './bench-visitors.ts'
import nodeFlags from '#scripts/node-flags.json' with { type: 'json' }
import { runClients } from '#bench/http/run-clients.ts'
import { waitUntilReachable, benchEnv, spawnSite } from '#bench/site/start-bench-site.ts'
import { atMostMegabytes, printTable, atMostMilliseconds, type Row } from '#bench/result-table.ts'

const log = createLog({ json: false, level: 'warn' })
const port = 3912
const url = `http://127.0.0.1:${port}`
const maxMegabytes = 250
const maxHealthMs = 200
const maxGrowthMegabytes = 5
const videos = 50_000
/** The exported user's number of events, and the size of each event in bytes. The product is 80 MB. */
const exportedEvents = 34_000
const exportedBytes = 2400
const exportsAtOnce = 20
const readers = 500
const holdMs = 10_000

/** Number of requests of each kind. Together they are 6,000 requests per minute for ten minutes. */
const loads: LoadCounts = {
  beacons: 10_000,
  tokens: 10_000,
  orders: 10_000,
  flips: 10_000,
  payments: 10_000,
  favorites: 10_000,
}

/**
 * `npm run bench -- bounds`: simulates an attack. 20 requests export the data of one user with 80 MB of events. 500
 * connections request a sitemap of 50,000 videos and do not read the response. 500 connections each send 1,000 requests
 * at once.
 * Then sends all beacons, invalid tokens, orders, payments, favorites and consent answers that one network may send in
 * ten minutes, as fast as possible. `--part 0.1` sends a tenth of them.
 */
export async function measureBounds(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { part: { type: 'string', default: '1' } } })
  const part = Number(values.part)
  const home = mkdtempSync(join(tmpdir(), 'cliffhanger-bounds-'))
  const dataDir = join(home, 'data')
  const site = spawnSite(envOf(dataDir))
  try {
    await waitUntilReachable(`${url}/api/ready`, site)
    const { connection } = await startEmbeddedDatabase({ dataDir, log })
    const pool = new pg.Pool({ ...connection })
    await fillVideos(pool)
    const cookie = await personWithEvents(pool)
    const rows = [
      ...(await measureWhile(site, 'nothing', idle)),
      ...(await measureWhile(site, 'a sitemap that 500 clients do not read', () => unreadSitemaps(pool))),
      ...(await measureWhile(
        site,
        '500 connections that each send 1,000 requests and read no response',
        unreadPipelines,
      )),
      ...(await measureWhile(site, '20 requests for an export of 80 MB', () => exportsOf(cookie))),
      await growth(pool, part),
    ]
    await pool.end()
    printTable(rows)
    if (site.exitCode !== null || rows.some(({ ok }) => !ok)) process.exitCode = 1
  } finally {
    const ended = new Promise((resolve) => site.once('exit', resolve))
    if (site.exitCode === null && site.kill('SIGTERM')) await ended
    rmSync(home, { recursive: true, force: true })
  }
}

/**
 * Returns the settings of a bench site. The site has no rate limits, because the requests of ten minutes are sent as fast
 * as possible. The quotas keep their default values, because this bench tests them.
 */
function envOf(dataDir: string): NodeJS.ProcessEnv {
  const env = benchEnv(dataDir)
  for (const name of quotaSettings) delete env[name]
  return { ...env, PORT: String(port), HOST: '127.0.0.1' }
}

async function fillVideos(pool: pg.Pool): Promise<void> {
  await pool.query(
    `INSERT INTO videos (id, slug, titles, synopses, state, free_episodes, episode_count, currency, episode_cents, video_cents, released_at)
     SELECT 'vid_' || md5(n::text), 'video-' || n, '{"en": "A video"}', '{"en": "What it is about"}', 'published', 0, 1, 'USD', 99, 999,
       now() - n * interval '1 minute' FROM generate_series(1, $1::int) n`,
    [videos],
  )
}

/** Measures the process's peak memory and the slowest health check while `work` runs. */
async function measureWhile(
  site: ChildProcess,
  what: string,
  work: () => Promise<() => void>,
): Promise<Row[]> {
  let [megabytes, over] = [0, false]
  const watching = fork(join(import.meta.dirname, 'watch-health.ts'), [`${url}/api/health`], {
    execArgv: nodeFlags,
  })
  await once(watching, 'message')
  const looking = (async () => {
    while (!over) {
      megabytes = Math.max(megabytes, residentMegabytes(site))
      await delay(100)
    }
  })()
  const end = await work()
  over = true
  await looking
  watching.send('end')
  // The cast is safe: watch-health.ts sends one number.
  const [slowest] = (await once(watching, 'message')) as [number]
  end()
  if (site.exitCode !== null) throw new Error(`the process exited during ${what}`)
  return [
    atMostMegabytes(`memory of the HTTP process: ${what}`, megabytes, maxMegabytes),
    atMostMilliseconds(`health: ${what}`, slowest, maxHealthMs),
  ]
}

/** Does nothing for a while, to measure the baseline of a machine that may be busy. */
const idle = () => delay(holdMs).then(() => () => {})

async function unreadSitemaps(pool: pg.Pool): Promise<() => void> {
  const { rows } = await pool.query<{ at: Date; id: string }>(
    'SELECT released_at AS at, id FROM videos ORDER BY released_at, id LIMIT 1',
  )
  const [first] = rows
  const path = `/sitemaps/videos/${first?.at.getTime()}-${first?.id}.xml`
  return openUnreadConnections(path, 1)
}

const unreadPipelines = () => openUnreadConnections('/', 1000)

/** Opens many connections that send requests and do not read the responses. */
async function openUnreadConnections(path: string, requests: number): Promise<() => void> {
  const sockets = Array.from({ length: readers }, () => requestUnread(path, requests))
  await delay(holdMs)
  return () => sockets.forEach((socket) => socket.destroy())
}

function requestUnread(path: string, requests: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`.repeat(requests))
  return socket
}

async function personWithEvents(pool: pg.Pool): Promise<string> {
  const { id, cookie } = await registerBenchMember(url)
  await pool.query(
    `INSERT INTO events (at, id, name, fields, user_id)
     SELECT now() - n * interval '1 second', gen_random_uuid(), 'filled',
       jsonb_build_object('text', (SELECT string_agg(md5(n::text || part), '') FROM generate_series(1, $3::int / 32) part)), $1
     FROM generate_series(1, $2::int) n`,
    [id, exportedEvents, exportedBytes],
  )
  return cookie
}

/** Requests exports and reads those that the site does not refuse. @throws Error if it refuses all of them */
async function exportsOf(cookie: string): Promise<() => void> {
  const statuses = await Promise.all(
    Array.from({ length: exportsAtOnce }, async () => {
      const response = await fetch(`${url}/api/user/export`, { headers: { cookie } })
      await response.body?.pipeTo(new WritableStream())
      return response.status
    }),
  )
  if (!statuses.includes(200)) throw new Error(`The site refused every export: ${statuses.join(', ')}`)
  return () => {}
}

async function growth(pool: pg.Pool, part: number): Promise<Row> {
  const size = async () => {
    await pool.query('VACUUM')
    const { rows } = await pool.query<{ bytes: string }>(
      'SELECT pg_database_size(current_database()) AS bytes',
    )
    return Number(rows[0]?.bytes) / 1024 ** 2
  }
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM plans ORDER BY id LIMIT 1')
  const before = await size()
  const videosThere = await pool.query<{ id: string }>('SELECT id FROM videos ORDER BY id LIMIT 5000')
  const subjects = { planId: rows[0]?.id ?? '', videoIds: videosThere.rows.map(({ id }) => id) }
  const work = sendStorageLoad(url, subjects, loads, part)
  await runClients(16, () => work.isDone(), work.next)
  // Waits until buffered counts and positions are written.
  await delay(15_000)
  const grown = (await size()) - before
  const orders = await pool.query('SELECT id FROM orders LIMIT 1')
  if (orders.rowCount === 0) throw new Error('no order was created, so the quota for orders was not tested')
  return atMostMegabytes('database growth through one network in ten minutes', grown, maxGrowthMegabytes)
}

function residentMegabytes({ pid }: ChildProcess): number {
  const args = ['-o', 'rss=', '-p', String(pid)]
  return Number(execFileSync('ps', args, { encoding: 'utf8', timeout: 5000 }).trim()) / 1024
}
