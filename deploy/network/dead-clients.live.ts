import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startPgBouncer, type PgBouncer } from '#deploy/pgbouncer/run-pgbouncer.ts'
import { seconds } from '#deploy/testing/measure-outage.ts'
import { createNetwork, type Network } from '#deploy/testing/run-network.ts'
import { openDatabase, openDatabaseForRequests, type Database } from '#server/platform/database/database.ts'
import { createLog } from '#server/platform/log.ts'
import type { Tables } from '#server/tables.ts'
import {
  startReplicatedDatabase,
  type ReplicatedDatabase,
} from '#server/testing/database/replicated-database.ts'
import { waitUntil } from '#server/testing/wait-until.ts'

const home = mkdtempSync(join(tmpdir(), 'cliffhanger-dead-clients-'))
const patienceMs = 120_000
/**
 * Maximum time from the network cut to the release of the locks: 30 s of unanswered probes, and 15 s for a busy
 * machine. It is less than `idle_in_transaction_session_timeout`, which would release the locks anyway.
 */
const releasedWithinMs = 45_000

let network: Network
let servers: ReplicatedDatabase
let pooler: PgBouncer
/** Connections through the Unix socket. A network cut does not interrupt them. */
let local: Database<Tables>
/** Connections of a web process: `pool` through PgBouncer, and `sessions` directly. */
let remote: Database<Tables>

beforeAll(async () => {
  network = await createNetwork()
  const [primary, replica] = [await network.addHost('db-1'), await network.addHost('db-2')]
  network.join()
  servers = await startReplicatedDatabase(join(home, 'database'), { primary, replica })
  pooler = await startPgBouncer(servers.url, {}, { host: primary })
  const log = createLog({ json: true, level: 'silent' })
  local = await openDatabase<Tables>({ dataDir: '', databaseUrl: servers.url, migrate: true }, log)
  const settings = { databaseUrl: pooler.url, databaseDirectUrl: servers.remote.url }
  remote = await openDatabaseForRequests<Tables>({ dataDir: '', ...settings, migrate: false }, log, {
    databaseWaitMs: patienceMs,
  })
})
afterAll(async () => {
  await remote?.close()
  await local?.close()
  await pooler?.close()
  await servers?.close()
  await network?.close()
  rmSync(home, { recursive: true, force: true })
})

it('when the network to a client is cut, its transaction releases its locks within a minute, with and without PgBouncer', async () => {
  const settings = await remote.sessions.query(
    `SELECT current_setting('tcp_keepalives_idle') AS idle, current_setting('tcp_keepalives_interval') AS interval,
       current_setting('tcp_keepalives_count') AS probes, current_setting('tcp_user_timeout') AS unacknowledged`,
  )
  expect(settings.rows).toEqual([{ idle: '15', interval: '5', probes: '3', unacknowledged: '30000' }])
  const clients = [await remote.pool.connect(), await remote.sessions.connect()]
  for (const [key, client] of clients.entries()) {
    client.on('error', () => {})
    await client.query(`BEGIN; SELECT pg_advisory_xact_lock(${key + 1})`)
  }
  const countLocks = async () => {
    const { rowCount } = await local.pool.query("SELECT FROM pg_locks WHERE locktype = 'advisory'")
    return Number(rowCount)
  }
  expect(await countLocks()).toBe(clients.length)
  let tookMs = 0
  await network.cutOff('db-1', async () => {
    const start = performance.now()
    await waitUntil('the locks are released', async () => (await countLocks()) === 0, patienceMs)
    tookMs = performance.now() - start
  })
  for (const client of clients) client.release(true)
  console.log(`  The locks were released ${seconds(tookMs)} after the cut.`)
  expect(tookMs).toBeLessThan(releasedWithinMs)
})
