import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { simulateBuyers, type Buyers } from '#deploy/release/simulate-buyers.ts'
import {
  reserveAddress,
  startDrillSite,
  waitForReplicaUse,
  type DrillSite,
  type SiteAddress,
} from '#deploy/testing/start-drill-site.ts'
import { openDatabase, type Database } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import type { Tables } from '#server/tables.ts'
import { buildVideo, noStorage } from '#server/testing/builders/video-builders.ts'
import {
  startReplicatedDatabase,
  type ReplicatedDatabase,
} from '#server/testing/database/replicated-database.ts'
import { startPgBouncer, type PgBouncer } from './run-pgbouncer.ts'

const patienceMs = 120_000
const clients = 3

let home: string
let servers: ReplicatedDatabase
let poolers: PgBouncer[]
let database: Database<Tables>
let address: SiteAddress
let site: DrillSite
let buyers: Buyers

// A repeated test starts with a new site and a new database.
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'cliffhanger-replicas-'))
  servers = await startReplicatedDatabase(join(home, 'database'))
  const log = createLog({ json: true, level: 'silent' })
  database = await openDatabase<Tables>({ dataDir: '', databaseUrl: servers.url, migrate: true }, log)
  const video = await buildVideo({ db: database.db, storage: noStorage })
  const primary = await startPgBouncer(servers.url)
  const replica = await startPgBouncer(servers.replicaUrl)
  poolers = [primary, replica]
  address = await reserveAddress()
  site = await startDrillSite(address, home, {
    ROLE: 'web',
    DATABASE_URL: primary.url,
    DATABASE_DIRECT_URL: servers.url,
    DATABASE_READ_URL: replica.url,
  })
  buyers = simulateBuyers(address.url, video, clients)
})
afterEach(async () => {
  await buyers?.end()
  await site?.close()
  await database?.close()
  for (const pooler of poolers ?? []) await pooler.close()
  await servers?.close()
  rmSync(home, { recursive: true, force: true })
})

const expectReplicaUsed = (expected: 0 | 1) => waitForReplicaUse(address, expected, patienceMs)

it('no request fails and no payment is lost while a replica behind PgBouncer lags, stops and restarts', async () => {
  await expectReplicaUsed(1)
  await buyers.completeMore(patienceMs)
  await servers.fallBehind()
  await expectReplicaUsed(0)
  await buyers.completeMore(patienceMs)
  await servers.catchUp()
  await expectReplicaUsed(1)
  await buyers.completeMore(patienceMs)
  await servers.stopReplica()
  await expectReplicaUsed(0)
  await buyers.completeMore(patienceMs)
  await servers.startReplica()
  await expectReplicaUsed(1)
  await buyers.completeMore(patienceMs)
  const { failures, paid } = await buyers.end()
  expect(failures).toEqual([])
  const paidOrders = await database.db
    .selectFrom('orders')
    .innerJoin('entitlements', 'entitlements.order_id', 'orders.id')
    .select('orders.id')
    .where('orders.status', '=', 'paid')
    .execute()
  expect(paidOrders.map(({ id }) => id).toSorted()).toEqual(paid.toSorted())
})
