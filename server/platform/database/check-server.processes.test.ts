import pg from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { createLog } from '#server/platform/log.ts'
import { createTestDatabase, type TestDatabase } from '#server/testing/database/test-database.ts'
import { openDatabase, openDatabaseForRequests, openDatabaseForJobs } from './database.ts'

const log = createLog({ json: true, level: 'silent' })
const bounds = { databaseWaitMs: 4000 }
/** The name contains the process id, because all test files share a server and its roles. */
const role = `narrow_${process.pid}`

let database: TestDatabase
let narrow: { dataDir: string; databaseUrl: string; migrate: boolean }

beforeAll(async () => {
  database = await createTestDatabase()
  await database.pool.query(`CREATE ROLE ${role} LOGIN CONNECTION LIMIT 5`)
  await database.pool.query(`GRANT SELECT ON migrations TO ${role}`)
  const { host, database: name } = new pg.Client({ connectionString: database.url })
  narrow = {
    dataDir: '',
    databaseUrl: `postgres:///${name}?user=${role}&host=${encodeURIComponent(host)}`,
    migrate: false,
  }
})
afterAll(async () => {
  await database.pool.query(`REVOKE ALL ON migrations FROM ${role}`)
  await database.pool.query(`DROP ROLE ${role}`)
  await database.close()
})

it('refuses a server that provides fewer connections than a process needs, and reports how many', async () => {
  const sentence =
    /^The server of DATABASE_URL accepted only 5 of the 24 connections that this process needs \(too many connections for role/
  for (const open of [openDatabaseForRequests, openDatabaseForJobs]) {
    const error: unknown = await open(narrow, log, bounds).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(ConfigError)
    expect(error).toMatchObject({ message: expect.stringMatching(sentence) })
  }
})

it('limits the statements of a call to 10 s, and those of background work to 30 s', async () => {
  const settings = { ...narrow, databaseUrl: database.url }
  for (const [open, bound] of [
    [openDatabaseForRequests, '10s'],
    [openDatabaseForJobs, '30s'],
  ] as const) {
    const opened = await open(settings, log, bounds)
    onTestFinished(() => opened.close())
    const { rows } = await opened.pool.query('SHOW statement_timeout')
    expect(rows).toEqual([{ statement_timeout: bound }])
  }
})

it('makes the server end the sessions of dead clients and stalled transactions within a minute', async () => {
  const settings = { ...narrow, databaseUrl: database.url }
  for (const open of [openDatabaseForRequests, openDatabaseForJobs]) {
    const opened = await open(settings, log, bounds)
    onTestFinished(() => opened.close())
    const { rows } = await opened.pool.query('SHOW idle_in_transaction_session_timeout')
    expect(rows).toEqual([{ idle_in_transaction_session_timeout: '1min' }])
    // SHOW prints 0, because the test connects by a Unix socket. `reset_val` is the value requested by the connection.
    const tcp = await opened.pool.query<{ name: string; value: number }>(
      "SELECT name, reset_val::int AS value FROM pg_settings WHERE name LIKE 'tcp\\_%'",
    )
    const valueOf = (name: string) => tcp.rows.find((row) => row.name === name)?.value ?? 0
    const probesSeconds = valueOf('tcp_keepalives_interval') * valueOf('tcp_keepalives_count')
    expect([valueOf('tcp_keepalives_idle'), probesSeconds, valueOf('tcp_user_timeout')]).toEqual([
      15, 15, 30_000,
    ])
  }
})

it('accepts the server for a command, because a command needs few connections', async () => {
  const opened = await openDatabase(narrow, log)
  await opened.close()
})

it('refuses a database that is not in UTF-8', async () => {
  const name = `latin_${process.pid}`
  await database.pool.query(`CREATE DATABASE ${name} ENCODING 'SQL_ASCII' LOCALE 'C' TEMPLATE template0`)
  const { host } = new pg.Client({ connectionString: database.url })
  const databaseUrl = `postgres:///${name}?user=${role}&host=${encodeURIComponent(host)}`
  try {
    await expect(openDatabase({ ...narrow, databaseUrl }, log)).rejects.toThrow(
      /^The database of DATABASE_URL has the encoding SQL_ASCII; the site needs UTF8/,
    )
  } finally {
    await database.pool.query(`DROP DATABASE ${name}`)
  }
})

it('names the setting with the address of an unreachable server', async () => {
  const away = 'postgres://127.0.0.1:1/site'
  const direct = openDatabaseForRequests({ ...narrow, databaseDirectUrl: away }, log, bounds)
  await expect(direct).rejects.toThrow(/server of DATABASE_DIRECT_URL can't be used: .*ECONNREFUSED/)
  const pooled = openDatabaseForRequests(
    { ...narrow, databaseUrl: away, databaseDirectUrl: narrow.databaseUrl },
    log,
    bounds,
  )
  await expect(pooled).rejects.toThrow(/server of DATABASE_URL can't be used: .*ECONNREFUSED/)
})
