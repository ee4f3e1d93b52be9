import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { simulateBuyers, type Buyers } from '#deploy/release/simulate-buyers.ts'
import { measureOutage, seconds, type Load } from '#deploy/testing/measure-outage.ts'
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
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import { openDisk } from '#server/platform/storage/disk.ts'
import type { Tables } from '#server/tables.ts'
import { buildVideo } from '#server/testing/builders/video-builders.ts'
import { waitUntil } from '#server/testing/wait-until.ts'
import { startPatroniCluster, type PatroniCluster } from './run-patroni.ts'

const patienceMs = 240_000
const clients = 2

let home: string
let cluster: PatroniCluster
let database: Database<Tables>
let stripe: StripeCheckouts
let address: SiteAddress
let site: DrillSite
let buyers: Buyers
let load: Load

// A repeated test starts with a new site and a new database.
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cliffhanger-patroni-'))
  cluster = await startPatroniCluster(home)
  const client = new pg.Client({ connectionString: cluster.superuserUrl })
  await client.connect()
  await client.query("CREATE ROLE cliffhanger LOGIN PASSWORD 'PASSWORD'")
  await client.query('CREATE DATABASE cliffhanger OWNER cliffhanger')
  await client.end()
  const log = createLog({ json: true, level: 'silent' })
  const settings = { dataDir: '', databaseUrl: cluster.primaryUrl, migrate: true }
  database = await openDatabase<Tables>(settings, log)
  const video = await buildVideo({ db: database.db, storage: openDisk(join(home, 'data')) })
  address = await reserveAddress()
  const { url } = address
  stripe = await startStripeCheckouts(url)
  site = await startDrillSite(address, home, {
    DATABASE_URL: cluster.primaryUrl,
    DATABASE_READ_URL: cluster.replicaUrl,
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
  await cluster?.close()
  rmSync(home, { recursive: true, force: true })
})

/** Waits until a worker has completed a job after `time`. */
async function waitForJobAfter(time: Date): Promise<void> {
  const hasRun = async () => {
    const { rowCount } = await database.pool.query('SELECT FROM scheduled_jobs WHERE succeeded_at > $1', [
      time,
    ])
    return Number(rowCount) > 0
  }
  await waitUntil('a job has run', hasRun, patienceMs)
}

it(
  'when the primary is killed, reads continue, sales resume without a restart, and no paid order is lost',
  async () => {
    await waitForReplicaUse(address, 1, patienceMs)
    const killed = await measureOutage(
      load,
      'Primary killed, until the promotion of the standby',
      async () => {
        const killedAt = performance.now()
        await cluster.kill('db-1')
        await waitUntil('the standby is promoted', () => cluster.hasRole('db-2', 'primary'), patienceMs)
        console.log(`Promotion ${seconds(performance.now() - killedAt)} after the kill.`)
      },
    )
    await waitForJobAfter(new Date())
    const rejoined = await measureOutage(load, 'The killed server rejoins', async () => {
      const startedAt = performance.now()
      await cluster.start('db-1')
      const isStandby = () => cluster.hasRole('db-1', 'synchronous')
      await waitUntil('the killed server is a standby', isStandby, patienceMs)
      console.log(
        `The killed server was a standby ${seconds(performance.now() - startedAt)} after its start.`,
      )
    })
    await waitForReplicaUse(address, 1, patienceMs)
    await buyers.completeMore(patienceMs)
    const { paid } = await buyers.end()
    for (const { pages, plays } of [killed, rejoined])
      expect([...pages.failures, ...plays.failures]).toEqual([])
    expect(killed.salesBackMs).toBeLessThan(salesBackWithinMs)
    expect(rejoined.failedJourneys).toEqual([])
    console.log(await stripe.expectNothingLost(database.db, paid))
    expect(site.isRunning()).toBe(true)
  },
  3 * patienceMs,
)
