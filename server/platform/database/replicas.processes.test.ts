import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql, type Kysely } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createLog } from '#server/platform/log.ts'
import { startDatabaseProxy, type DatabaseProxy } from '#server/testing/database/database-proxy.ts'
import {
  startReplicatedDatabase,
  type ReplicatedDatabase,
} from '#server/testing/database/replicated-database.ts'
import { createTestDatabase } from '#server/testing/database/test-database.ts'
import { openDatabase, openDatabaseForRequests, type Database } from './database.ts'
import { preparedQuery, type Placeholders } from './prepared-query.ts'

interface Numbers {
  numbers: { number: number }
}

const log = createLog({ json: true, level: 'silent' })
const home = mkdtempSync(join(tmpdir(), 'cliffhanger-replicated-'))
const bounds = { databaseWaitMs: 4000 }
/** Options of a wait until the state of the replica changes. The replica is polled every other second. */
const soon = { timeout: 120_000 }

let servers: ReplicatedDatabase
/** A proxy in front of the replica. */
let proxy: DatabaseProxy
let database: Database<Numbers>

beforeAll(async () => {
  servers = await startReplicatedDatabase(home)
  const first = await openDatabase({ dataDir: '', databaseUrl: servers.url, migrate: true }, log)
  await first.pool.query('CREATE TABLE numbers AS SELECT 1 AS number')
  await first.close()
  proxy = await startDatabaseProxy(servers.replicaUrl)
  database = await open([proxy.url])
}, 600_000)
afterAll(async () => {
  await database?.close()
  await proxy?.stop()
  await servers?.close()
  rmSync(home, { recursive: true, force: true })
})

const open = (databaseReadUrls: string[]) =>
  openDatabaseForRequests<Numbers>(
    { dataDir: '', databaseUrl: servers.url, databaseReadUrls, migrate: false },
    log,
    bounds,
  )

/** Asks whether a replica answers. A replica waits `after` seconds before its answer, the primary does not. */
const askWhere = preparedQuery(
  (_: Kysely<Numbers>, { after }: Placeholders<{ after: number }>) =>
    sql<{ replica: boolean }>`
      SELECT pg_is_in_recovery() AS replica
      FROM pg_sleep(CASE WHEN pg_is_in_recovery() THEN ${after}::int ELSE 0 END)`,
)
/** Returns whether a replica answers, over a connection of the pool and over a pipeline. */
async function readFrom(db: Kysely<Numbers>, after = 0): Promise<boolean[]> {
  const { rows } = await sql<{ replica: boolean }>`SELECT pg_is_in_recovery() AS replica`.execute(db)
  return [...rows, ...(await askWhere(db, { after }))].map(({ replica }) => replica)
}
const state = () => database.replicas()[0]
const isUsed = (used: boolean) => vi.waitFor(() => expect(state()).toMatchObject({ used }), soon)

it('reads from the replica through `readDb`, and from the primary through `db`', async () => {
  await isUsed(true)
  expect(await readFrom(database.readDb)).toEqual([true, true])
  expect(await readFrom(database.db)).toEqual([false, false])
  // The first check may have found a replica that had not applied the latest change.
  await vi.waitFor(() => expect(state()).toMatchObject({ lagSeconds: 0 }), soon)
})

it('always writes to the primary', async () => {
  await database.readDb.transaction().execute(async (tx) => {
    await tx.updateTable('numbers').set({ number: 2 }).execute()
    expect(await readFrom(tx)).toEqual([false, false])
  })
  expect(await database.db.selectFrom('numbers').selectAll().execute()).toEqual([{ number: 2 }])
})

it('stops using a replica that applies no changes for 5 s, and uses it again once it has caught up', async () => {
  await servers.fallBehind()
  await database.db.updateTable('numbers').set({ number: 3 }).execute()
  await isUsed(false)
  // The lag is unknown after a check that took too long.
  await vi.waitFor(() => expect(state()?.lagSeconds).toBeGreaterThan(5), soon)
  expect(await readFrom(database.readDb)).toEqual([false, false])
  await servers.catchUp()
  await isUsed(true)
  expect(await readFrom(database.readDb)).toEqual([true, true])
  expect(await database.readDb.selectFrom('numbers').selectAll().execute()).toEqual([{ number: 3 }])
}, 600_000)

it('retries queries on the primary after the replica has shut down, and does not use the replica until it runs again', async () => {
  await isUsed(true)
  // Ends with the shutdown, or with the replica's time-out if the shutdown takes longer.
  const underWay = readFrom(database.readDb, 60)
  await vi.waitFor(async () => {
    const { rowCount } = await database.pool.query('SELECT FROM pg_stat_replication')
    expect(rowCount).toBe(1)
  }, soon)
  await servers.stopReplica()
  expect(await underWay).toEqual([expect.any(Boolean), false])
  await isUsed(false)
  expect(await readFrom(database.readDb)).toEqual([false, false])
  await servers.startReplica()
  await isUsed(true)
  expect(await readFrom(database.readDb)).toEqual([true, true])
}, 600_000)

it('uses the primary instead of waiting for a replica that stopped responding', async () => {
  await isUsed(true)
  proxy.setSilent(true)
  expect(await readFrom(database.readDb)).toEqual([false, false])
  expect(state()).toMatchObject({ used: false })
  proxy.setSilent(false)
  await isUsed(true)
  expect(await readFrom(database.readDb)).toEqual([true, true])
}, 600_000)

it('if a query fails on the replica, retries it on the primary and continues to read from the replica', async () => {
  await isUsed(true)
  const readOnly = sql`WITH changed AS (UPDATE numbers SET number = 4 RETURNING number) SELECT * FROM changed`
  expect((await readOnly.execute(database.readDb)).rows).toEqual([{ number: 4 }])
  await expect(sql`SELECT 1 / 0`.execute(database.readDb)).rejects.toThrow('division by zero')
  expect(state()).toMatchObject({ used: true })
})

it('starts even if a replica is unavailable, and reads from another one', async () => {
  const alone = await open(['postgres://127.0.0.1:1/site', proxy.url])
  try {
    const expected = [
      { name: '127.0.0.1:1', used: false },
      { name: new URL(proxy.url).host, used: true },
    ]
    await vi.waitFor(() => expect(alone.replicas()).toMatchObject(expected), soon)
    expect(await readFrom(alone.readDb)).toEqual([true, true])
  } finally {
    await alone.close()
  }
})

it('if the address of the primary leads to a standby, fails reads and writes until the address leads to the primary again', async () => {
  const balancer = await startDatabaseProxy(servers.url)
  const own = await openDatabase<Numbers>({ dataDir: '', databaseUrl: balancer.url, migrate: false }, log)
  const write = () => own.db.updateTable('numbers').set({ number: 5 }).execute()
  try {
    await write()
    balancer.leadTo(servers.replicaUrl)
    balancer.breakAll()
    for (const access of [write, () => readFrom(own.db)])
      await expect
        .poll(() => access().catch((error: unknown) => error), soon)
        .toMatchObject({ code: '25006' })
    balancer.leadTo(servers.url)
    await write()
    expect(await readFrom(own.db)).toEqual([false, false])
  } finally {
    await own.close()
    await balancer.stop()
  }
}, 600_000)

it('refuses the address of a standby as DATABASE_URL', async () => {
  const opening = openDatabase({ dataDir: '', databaseUrl: servers.replicaUrl, migrate: false }, log)
  await expect(opening).rejects.toThrow(/^The PostgreSQL server of DATABASE_URL can't be used: .* a standby/)
})

it('refuses the address of another database in DATABASE_READ_URL', async () => {
  const other = await createTestDatabase()
  try {
    await expect(open([other.url])).rejects.toThrow(/^DATABASE_READ_URL: .* is not a replica of the database/)
  } finally {
    await other.close()
  }
})
