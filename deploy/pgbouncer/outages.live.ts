import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { simulateBuyers, type Buyers } from '#deploy/release/simulate-buyers.ts'
import { measureOutage, type Load } from '#deploy/testing/measure-outage.ts'
import { reserveAddress, startDrillSite, type DrillSite } from '#deploy/testing/start-drill-site.ts'
import {
  salesBackWithinMs,
  startStripeCheckouts,
  type StripeCheckouts,
} from '#deploy/testing/stripe-checkouts.ts'
import { loadConfig } from '#server/platform/config/config.ts'
import { openS3 } from '#server/platform/storage/s3.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { startDatabaseProxy, type DatabaseProxy } from '#server/testing/database/database-proxy.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { startFakeS3, type FakeS3 } from '#server/testing/fakes/fake-s3.ts'
import { startPgBouncer, type PgBouncer } from './run-pgbouncer.ts'

const patienceMs = 240_000
const clients = 3
const outageMs = 10_000

let home: string
let database: TestDatabase
let pooler: PgBouncer
/** The network between the site and the database: to PgBouncer, and directly to PostgreSQL. */
let networks: DatabaseProxy[]
let bucket: FakeS3
let site: DrillSite
let stripe: StripeCheckouts
let buyers: Buyers
let load: Load

// A repeated test starts with a new site and a new database.
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cliffhanger-outages-'))
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
  const address = await reserveAddress()
  const { url } = address
  stripe = await startStripeCheckouts(url)
  site = await startDrillSite(address, home, {
    DATABASE_URL: pooled.url,
    DATABASE_DIRECT_URL: direct.url,
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
  for (const network of networks ?? []) await network.stop()
  await pooler?.close()
  await bucket?.close()
  await database?.close()
  rmSync(home, { recursive: true, force: true })
})

it(
  "after outages of PgBouncer, the database's network and the bucket, sales resume without a restart, and no order is lost or paid twice",
  async () => {
    const pooling = await measureOutage(load, 'PgBouncer restarted', () => pooler.restart())
    const silent = await measureOutage(
      load,
      `No answer from the database for ${outageMs / 1000} s`,
      async () => {
        for (const network of networks) network.setSilent(true)
        await delay(outageMs)
        for (const network of networks) {
          network.setSilent(false)
          network.breakAll()
        }
      },
    )
    const away = await measureOutage(load, `The bucket is unreachable for ${outageMs / 1000} s`, async () => {
      bucket.setFault(() => 'break')
      await delay(outageMs)
      bucket.setFault(() => undefined)
    })
    const { paid } = await buyers.end()
    for (const { pages, plays, salesBackMs } of [pooling, silent, away]) {
      expect([...pages.failures, ...plays.failures]).toEqual([])
      expect(salesBackMs).toBeLessThan(salesBackWithinMs)
    }
    // A purchase needs no file of the bucket.
    expect(away.failedJourneys).toEqual([])
    console.log(await stripe.expectNothingLost(database.db, paid))
    expect(site.isRunning()).toBe(true)
  },
  3 * patienceMs,
)
