import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startPgBouncer, type PgBouncer } from '#deploy/pgbouncer/run-pgbouncer.ts'
import { simulateBuyers, type Buyers } from '#deploy/release/simulate-buyers.ts'
import { measureOutage, seconds, type Load } from '#deploy/testing/measure-outage.ts'
import { runBucket } from '#deploy/testing/run-bucket.ts'
import { createNetwork, type Network } from '#deploy/testing/run-network.ts'
import {
  reserveAddress,
  startDrillSite,
  waitForReplicaUse,
  type DrillSite,
  type SiteAddress,
} from '#deploy/testing/start-drill-site.ts'
import {
  salesBackWithinMs,
  startStripeCheckouts,
  type StripeCheckouts,
} from '#deploy/testing/stripe-checkouts.ts'
import { measureCacheStaleness } from '#deploy/testing/measure-cache-staleness.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { openS3 } from '#server/platform/storage/s3.ts'
import type { Tables } from '#server/tables.ts'
import { buildVideo, type BuiltVideo } from '#server/testing/builders/video-builders.ts'
import {
  startReplicatedDatabase,
  type ReplicatedDatabase,
} from '#server/testing/database/replicated-database.ts'

const patienceMs = 120_000
const clients = 3
const outageMs = 10_000
/**
 * Maximum time until the site stops reading from a replica: 5 s of permitted lag, 2 s between two checks and 1 s for a
 * check (docs/scaling.md). The remaining 12 s allow for a busy machine. A site that did not look at the lag would never
 * stop.
 */
const leftWithinMs = 20_000
/** Maximum age of a title that a viewer reads. The site caches responses for a second. */
const oldestTitleMs = leftWithinMs + 1000

let home: string
let network: Network
let servers: ReplicatedDatabase
let pooler: PgBouncer
let bucket: Awaited<ReturnType<typeof runBucket>>
let database: Database<Tables>
let video: BuiltVideo
let stripe: StripeCheckouts
let address: SiteAddress
let site: DrillSite
let buyers: Buyers
let load: Load

// A repeated test starts with a new site and a new database.
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cliffhanger-network-'))
  network = await createNetwork()
  const [primary, replica] = [await network.addHost('db-1'), await network.addHost('db-2')]
  const bucketHost = await network.addHost('bucket')
  network.join()
  servers = await startReplicatedDatabase(join(home, 'database'), { primary, replica })
  pooler = await startPgBouncer(servers.url, {}, { host: primary })
  bucket = await runBucket(bucketHost)
  const log = createLog({ json: true, level: 'silent' })
  // The test reads and writes through the Unix socket. A network cut does not interrupt it.
  database = await openDatabase<Tables>({ dataDir: '', databaseUrl: servers.url, migrate: true }, log)
  const { s3, secrets } = loadConfig({ ...bucket.settings, DATA_DIR: home })
  if (!s3 || !secrets.s3) throw new Error('the bucket is not configured')
  const { secretAccessKey } = secrets.s3
  const storage = openS3({ settings: s3, secretAccessKey, dataDir: home, siteId: '' })
  video = await buildVideo({ db: database.db, storage })
  address = await reserveAddress()
  const { url } = address
  stripe = await startStripeCheckouts(url)
  site = await startDrillSite(address, home, {
    DATABASE_URL: pooler.url,
    DATABASE_DIRECT_URL: servers.remote.url,
    DATABASE_READ_URL: servers.remote.replicaUrl,
    ...bucket.settings,
    ...stripe.env,
  })
  buyers = simulateBuyers(url, video, clients, stripe.checkOut)
  load = { url, freeEpisode: video.episodes[0]?.id ?? '', buyers, patienceMs }
})
afterEach(async () => {
  await buyers?.end()
  await site?.close()
  await stripe?.close()
  await database?.close()
  await pooler?.close()
  await bucket?.close()
  await servers?.close()
  await network?.close()
  rmSync(home, { recursive: true, force: true })
})

const expectReplicaUsed = (expected: 0 | 1) => waitForReplicaUse(address, expected, patienceMs)

/** Lets the replica lag or disappear until the site has stopped reading from it. */
async function measureReplicaOutage(what: string, begin: () => Promise<void>, end: () => Promise<void>) {
  await expectReplicaUsed(1)
  const titles = measureCacheStaleness(database.db, address.url, video.id)
  let leftMs = 0
  let back: Promise<number> | undefined
  try {
    const outcome = await measureOutage(load, what, async () => {
      const start = performance.now()
      await begin()
      try {
        await expectReplicaUsed(0)
        leftMs = performance.now() - start
        await buyers.completeMore(patienceMs)
      } finally {
        await end()
      }
      back = measureReturn()
    })
    const backMs = await back
    const read = await titles.end()
    console.log(
      `  The site left the replica after ${seconds(leftMs)} and used it again after ${seconds(backMs ?? Number.NaN)}; titles were up to ${seconds(read.oldestMs)} old.`,
    )
    return { ...outcome, leftMs, titles: read }
  } finally {
    await Promise.allSettled([back, titles.end()])
  }
}

/** Returns the time in milliseconds from now until the site uses the replica again. */
async function measureReturn(): Promise<number> {
  const start = performance.now()
  await expectReplicaUsed(1)
  return performance.now() - start
}

it(
  'after network cuts and a lagging replica, sales resume without a restart, no paid order is lost and nobody is charged twice',
  async () => {
    await expectReplicaUsed(1)
    const cut = await measureOutage(load, `Network to the database cut for ${seconds(outageMs)}`, () =>
      network.cutOff('db-1', () => delay(outageMs)),
    )
    const lagging = await measureReplicaOutage('Replica lagging', servers.fallBehind, servers.catchUp)
    const lost = await measureReplicaOutage(
      'Network to the replica cut',
      async () => network.unplug('db-2'),
      async () => network.plugIn('db-2'),
    )
    const away = await measureOutage(load, `Network to the bucket cut for ${seconds(outageMs)}`, () =>
      network.cutOff('bucket', () => delay(outageMs)),
    )
    const { paid } = await buyers.end()
    for (const { pages, plays, salesBackMs } of [cut, lagging, lost, away]) {
      expect([...pages.failures, ...plays.failures]).toEqual([])
      expect(salesBackMs).toBeLessThan(salesBackWithinMs)
    }
    // A purchase needs the primary, but neither the replica nor the bucket.
    for (const { failedJourneys } of [lagging, lost, away]) expect(failedJourneys).toEqual([])
    for (const { leftMs, titles } of [lagging, lost]) {
      expect(leftMs).toBeLessThan(leftWithinMs)
      expect(titles.failures).toEqual([])
      expect(titles.oldestMs).toBeLessThan(oldestTitleMs)
    }
    console.log(await stripe.expectNothingLost(database.db, paid))
    expect(site.isRunning()).toBe(true)
  },
  6 * patienceMs,
)
