import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { getEpisode } from '#contract/media.ts'
import { startWithCleanEnv } from '#deploy/release/run-release.ts'
import { simulateBuyers, type Buyers } from '#deploy/release/simulate-buyers.ts'
import { readContinuously, readHomepage, type Reads } from '#deploy/testing/read-continuously.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { openS3 } from '#server/platform/storage/s3.ts'
import { compareSandboxBalance } from '#server/testing/billing-model/compare-ledger-with-gateway.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { startDatabaseProxy, type DatabaseProxy } from '#server/testing/database/database-proxy.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startFakeS3, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { freePort } from '#server/testing/site/free-port.ts'
import { unlimited, unlimitedQuotas } from '#server/testing/site/unlimited.ts'
import { visitorFactory } from '#server/testing/site/visitor.ts'
import { isReachable, waitUntil } from '#server/testing/wait-until.ts'
import { startPgBouncer, type PgBouncer } from './run-pgbouncer.ts'

const root = join(import.meta.dirname, '..', '..')
const home = mkdtempSync(join(tmpdir(), 'cliffhanger-outages-'))
const patienceMs = 240_000
const clients = 3
const outageMs = 10_000
/** Maximum time from the end of an outage to the next sale. */
const salesBackWithinMs = 15_000

let database: TestDatabase
let pooler: PgBouncer
/** The network between the site and the database: to PgBouncer, and directly to PostgreSQL. */
let networks: DatabaseProxy[]
let bucket: FakeS3
let site: ReturnType<typeof startWithCleanEnv>
let url: string
let buyers: Buyers
let freeEpisode: string
/** Loads that run until they are ended. */
const running: { end(): Promise<unknown> }[] = []

beforeAll(async () => {
  database = await createTestDatabase()
  bucket = await startFakeS3()
  pooler = await startPgBouncer(database.url)
  const pooled = await startDatabaseProxy(pooler.url)
  const direct = await startDatabaseProxy(database.url)
  networks = [pooled, direct]
  const { s3, secrets } = loadConfig({ ...bucket.settings, DATA_DIR: home })
  if (!s3 || !secrets.s3) throw new Error('the bucket is not configured')
  const { secretAccessKey } = secrets.s3
  const storage = openS3({ settings: s3, secretAccessKey, dataDir: home, siteId: '' })
  const video = await buildVideo({ db: database.db, storage })
  freeEpisode = video.episodes[0]?.id ?? ''
  const port = await freePort()
  url = `http://127.0.0.1:${port}`
  site = startWithCleanEnv(root, [process.execPath, 'server/main.ts'], {
    PATH: process.env['PATH'] ?? '',
    DATA_DIR: join(home, 'data'),
    APP_SECRET: 'a secret of thirty-two characters',
    DEMO: '0',
    PORT: String(port),
    DATABASE_URL: pooled.url,
    DATABASE_DIRECT_URL: direct.url,
    ...bucket.settings,
    RATE_LIMIT_API_PER_USER: unlimited,
    RATE_LIMIT_API_PER_IP: unlimited,
    ...unlimitedQuotas,
  })
  const ready = waitUntil('the site is ready', () => isReachable(`${url}/api/ready`), patienceMs)
  await Promise.race([ready, site.ended.then(() => Promise.reject(new Error(site.output())))])
  buyers = simulateBuyers(url, video, clients)
  running.push(buyers)
}, 2 * patienceMs)
afterAll(async () => {
  await Promise.all(running.map((each) => each.end()))
  site?.child.kill('SIGTERM')
  await site?.ended
  for (const network of networks ?? []) await network.stop()
  await pooler?.close()
  await bucket?.close()
  await database?.close()
  rmSync(home, { recursive: true, force: true })
})

/** Requests the link and the playlist of a free episode repeatedly, as players do. */
function playFreeEpisode() {
  const visitor = visitorFactory(url)()
  return readContinuously(async () => {
    const opened = await visitor.callOk(getEpisode, { query: { episode_id: freeEpisode } })
    if (!('playback' in opened)) throw new Error('the episode has no link')
    const playlist = await visitor.fetch(opened.playback.hls_url)
    if (!playlist.ok) throw new Error(`the playlist returned ${playlist.status}`)
    await playlist.text()
  })
}

interface Outcome {
  pages: Reads
  plays: Reads
  failedJourneys: number
  /** Time from the end of the outage to the next sale. */
  salesBackMs: number
}

/** Causes an outage under load, and measures what viewers and buyers notice until sales have resumed. */
async function measureOutage(what: string, outage: () => Promise<void>): Promise<Outcome> {
  await buyers.completeMore(patienceMs)
  const [pages, plays] = [readHomepage(url), playFreeEpisode()]
  running.push(pages, plays)
  const failedBefore = buyers.failures()
  await outage()
  const [endedAt, soldBefore] = [performance.now(), buyers.journeys()]
  await waitUntil('sales resume', () => buyers.journeys() > soldBefore, patienceMs)
  const salesBackMs = performance.now() - endedAt
  await buyers.completeMore(patienceMs)
  const outcome = {
    pages: await pages.end(),
    plays: await plays.end(),
    failedJourneys: buyers.failures() - failedBefore,
    salesBackMs,
  }
  const show = ({ failures, reads, slowestMs }: Reads) =>
    `${failures.length} of ${reads} failed, the slowest took ${(slowestMs / 1000).toFixed(1)} s`
  console.log(
    [
      `${what}: the next sale ${(salesBackMs / 1000).toFixed(1)} s after its end, ${outcome.failedJourneys} journeys failed.`,
      `  Homepages: ${show(outcome.pages)}. Free episodes: ${show(outcome.plays)}.`,
    ].join('\n'),
  )
  return outcome
}

async function expectLedgerBalanced(paid: readonly string[], interrupted: number): Promise<void> {
  const { rows } = await sql<{ id: string; is_entitled: boolean }>`
    SELECT id, EXISTS (SELECT FROM entitlements WHERE order_id = orders.id) AS is_entitled
    FROM orders WHERE status = 'paid'`.execute(database.db)
  const orders = rows.map(({ id }) => id)
  expect(paid.filter((id) => !orders.includes(id))).toEqual([])
  expect(rows.filter(({ is_entitled }) => !is_entitled)).toEqual([])
  // A buyer whose call was interrupted does not know the outcome; the order may be paid.
  expect(orders.length - paid.length).toBeLessThanOrEqual(interrupted)
  const charges = await sql`
    SELECT order_id FROM payment_attempts WHERE status = 'succeeded' GROUP BY order_id HAVING count(*) > 1`.execute(
    database.db,
  )
  expect(charges.rows).toEqual([])
  const isBooked = async () => {
    const { ledgerCents, gatewayCents } = await compareSandboxBalance(database.db)
    return ledgerCents === gatewayCents
  }
  // The janitor settles payments whose call was interrupted.
  await waitUntil('the ledger equals the gateway', isBooked, patienceMs)
}

it(
  "after outages of PgBouncer, the database's network and the bucket, sales resume without a restart, and no order is lost or paid twice",
  async () => {
    const pooling = await measureOutage('PgBouncer restarted', () => pooler.restart())
    const cut = await measureOutage(`No answer from the database for ${outageMs / 1000} s`, async () => {
      for (const network of networks) network.setSilent(true)
      await delay(outageMs)
      for (const network of networks) {
        network.setSilent(false)
        network.breakAll()
      }
    })
    const away = await measureOutage(`The bucket is unreachable for ${outageMs / 1000} s`, async () => {
      bucket.setFault(() => 'break')
      await delay(outageMs)
      bucket.setFault(() => undefined)
    })
    const { failures, paid } = await buyers.end()
    for (const { pages, salesBackMs } of [pooling, cut, away]) {
      expect(pages.failures).toEqual([])
      expect(salesBackMs).toBeLessThan(salesBackWithinMs)
    }
    // A purchase needs no file of the bucket.
    expect(away.failedJourneys, failures.join('\n')).toBe(0)
    for (const { plays } of [cut, away]) expect(plays.failures).toEqual([])
    await expectLedgerBalanced(paid, failures.length)
    expect([site.child.exitCode, site.child.signalCode]).toEqual([null, null])
  },
  3 * patienceMs,
)
