import { Kysely, PostgresDialect, type PostgresPool } from 'kysely'
import { join } from 'node:path'
import pg from 'pg'
import { startEmbeddedDatabase, type EmbeddedDatabase } from './embedded/embedded-database.ts'
import { checkPooler, checkServer, testConnections } from '#server/platform/database/check-server.ts'
import { readOnlyCode } from '#server/platform/database/database-unavailable.ts'
import { checkMigrated, migrate } from '#server/platform/database/migrate.ts'
import { openPipelines, pipelinedConnections } from '#server/platform/database/pipelines.ts'
import { withNamedStatements } from '#server/platform/database/named-statements.ts'
import type { Statements } from '#server/platform/database/replica.ts'
import {
  healthCheckTimeouts,
  openReplicas,
  replicaTimeouts,
  type ReplicaState,
} from '#server/platform/database/replicas.ts'
import { SupervisedPool } from '#server/platform/database/supervised-pool.ts'
import { columnTypes } from '#server/platform/database/column-types.ts'
import type { Log } from '#server/platform/log.ts'
import { bindToCaller } from '#server/platform/request-id.ts'

/** Addresses of the database. */
export interface DatabaseSettings {
  dataDir: string
  /** Undefined means the embedded server in `dataDir`. */
  databaseUrl: string | undefined
  /** The direct address of PostgreSQL if `databaseUrl` leads to a pooler in transaction mode. */
  databaseDirectUrl?: string | undefined
  /** Replicas for `readDb`. */
  databaseReadUrls?: readonly string[]
}

interface MigrationSettings {
  /** Whether to run pending migrations. If false, the database must be up to date. */
  migrate: boolean
}

/** An open database. `Tables` is defined by the caller: this folder knows no feature. */
export interface Database<Tables> {
  db: Kysely<Tables>
  /**
   * Reads from a healthy replica that is at most 5 s behind `db`, or from the primary if there is none. Use it only for
   * data that is the same for all viewers, never for a user's own writes, entitlements or money.
   */
  readDb: Kysely<Tables>
  /** Returns the state of the replicas. */
  replicas(): ReplicaState[]
  /**
   * The pool for statements that Kysely does not support. Behind a pooler, a connection keeps no state between
   * transactions.
   */
  pool: pg.Pool
  /** Connections that keep their session, for LISTEN. */
  sessions: pg.Pool
  close: () => Promise<void>
}

/** The migrations of this version of the site. */
export const migrationsDir = join(import.meta.dirname, 'migrations')

/**
 * Makes PostgreSQL plan each prepared statement once per connection, for all parameter values. This suits processes
 * that answer calls, because their statements are short and use an index. To use a partial index, such a statement must
 * contain the condition of the index as a literal, not as a parameter.
 */
export const genericPlanOptions = { options: '-c plan_cache_mode=force_generic_plan' }

/** Time limits of a call's use of the database. */
interface RequestTimeouts {
  /** The longest wait for a connection. */
  databaseWaitMs: number
  /** The longest duration of a statement. Without it, a busy or silent server would block the call. */
  statementTimeoutMs?: number
}

/**
 * Pool options for processes that answer calls. After a time-out for a connection or a statement, the client is asked
 * to retry.
 */
export const requestPoolOptions = ({
  databaseWaitMs,
  statementTimeoutMs = 10_000,
}: RequestTimeouts): pg.PoolConfig => ({
  ...genericPlanOptions,
  connectionTimeoutMillis: databaseWaitMs,
  statement_timeout: statementTimeoutMs,
  query_timeout: statementTimeoutMs,
})

/**
 * A process that hangs within a transaction leaves its locks to others after this time. No transaction waits for
 * anything but the database, so only a process that has stalled is that slow.
 */
const idleInTransactionMs = 60_000

const defaultPoolOptions = {
  max: 20,
  idleTimeoutMillis: 60_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: idleInTransactionMs,
}

/**
 * Makes the server notice within half a minute that the machine of a client, or the network to it, is gone, and release
 * the locks of its transactions. By default, the server notices it after two hours, or after 15 minutes if it has sent
 * data. The server ignores these settings for connections by a Unix socket. An outage of some seconds breaks no idle
 * connection. `tcp_user_timeout` also ends a connection whose client stops reading a long result for half a minute.
 */
const dropDeadClientOptions =
  '-c tcp_keepalives_idle=15 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=30000'

/** Time-outs for opening a connection, and for a response from a server that may have disappeared silently. */
const timeouts = { connectionTimeoutMillis: 10_000, query_timeout: 35_000 }

/** Proxies and firewalls drop a connection that is idle for some minutes, often silently. */
const keepAliveOptions = { keepAlive: true, keepAliveInitialDelayMillis: 60_000 }

/** Maximum connections of a process that answers calls or runs jobs: those of its pool and of its pipelines. */
const maxConnections = defaultPoolOptions.max + pipelinedConnections
/**
 * Maximum direct connections of a process whose calls go through a pooler: two for LISTEN, the others for a migration.
 */
const directConnections = 4

/**
 * Opens PostgreSQL directly for commands and jobs: at DATABASE_DIRECT_URL, else at DATABASE_URL, else as the embedded
 * server, which it starts. Checks the server's version and that connections keep their session. Then runs the
 * migrations, or checks that they have run.
 * @param options for the pool's connections, such as `genericPlanOptions`; tests use other time-outs
 * @param connections the number of simultaneous connections that the server must provide
 * @throws ConfigError naming the setting whose server can't be used, is older than PostgreSQL 15, or must be migrated
 * first
 */
export async function openDatabase<Tables>(
  settings: DatabaseSettings & MigrationSettings,
  log: Log,
  options: pg.PoolConfig = {},
  connections?: number,
): Promise<Database<Tables>> {
  return createDatabase(await openMigrated(settings, log, { options, connections }))
}

/**
 * Opens the database like `openDatabase`, for a process that runs jobs.
 * @throws ConfigError as `openDatabase` does, or if the server provides too few connections
 */
export function openDatabaseForJobs<Tables>(
  settings: DatabaseSettings & MigrationSettings,
  log: Log,
): Promise<Database<Tables>> {
  return openDatabase(settings, log, {}, maxConnections)
}

/**
 * Opens the database for a process that answers calls. With DATABASE_DIRECT_URL, calls go to DATABASE_URL without
 * session state, as a pooler in transaction mode requires.
 * @throws ConfigError as `openDatabase` does, or if a server provides too few connections
 */
export async function openDatabaseForRequests<Tables>(
  settings: DatabaseSettings & MigrationSettings,
  log: Log,
  bounds: RequestTimeouts,
): Promise<Database<Tables>> {
  const { databaseUrl, databaseDirectUrl } = settings
  const options = requestPoolOptions(bounds)
  if (databaseUrl === undefined || databaseDirectUrl === undefined) {
    const connected = await openMigrated(settings, log, { options, connections: maxConnections })
    return withReplicas(connected, settings, log)
  }
  const direct = await openMigrated(settings, log, { options: { ...options, max: directConnections } })
  const pooled: Source = { setting: 'DATABASE_URL', url: databaseUrl, keepsSession: false }
  const calls = connect(pooled, log, options)
  const close = () => calls.close().finally(() => direct.close())
  try {
    await checkPooler(calls, maxConnections, log)
  } catch (error) {
    await close()
    throw error
  }
  return withReplicas({ ...calls, sessions: direct.pool, keepsNamedStatements: false, close }, settings, log)
}

/**
 * Adds the read replicas to an open database.
 * @throws ConfigError if an address of DATABASE_READ_URL leads to another database
 */
async function withReplicas<Tables>(
  connected: ConnectedForQueries,
  { databaseReadUrls: urls = [] }: DatabaseSettings,
  log: Log,
): Promise<Database<Tables>> {
  const database = createDatabase<Tables>(connected)
  if (urls.length === 0) return database
  const { keepsNamedStatements = true, openPool } = connected
  const address = (url: string): Source => ({
    setting: 'DATABASE_READ_URL',
    url,
    keepsSession: keepsNamedStatements,
  })
  try {
    const replicas = await openReplicas({
      urls,
      primary: { pool: database.statements, healthCheckPool: openPool(healthCheckTimeouts) },
      openHealthCheckPool: (url) =>
        createPool(address(url), { ...genericPlanOptions, ...healthCheckTimeouts }, log),
      open: (url) =>
        openStatements({
          ...connect(address(url), log, { ...genericPlanOptions, ...replicaTimeouts }),
          keepsNamedStatements,
        }),
      log,
    })
    return {
      ...database,
      readDb: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: replicas.pool }) }),
      replicas: replicas.states,
      close: () => replicas.close().finally(database.close),
    }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function openMigrated(
  { migrate: mayMigrate, ...settings }: DatabaseSettings & MigrationSettings,
  log: Log,
  { options, connections }: { options: pg.PoolConfig; connections?: number | undefined },
): Promise<Connected> {
  const connected = await connectDatabase(settings, log, options, connections)
  try {
    await (mayMigrate ? migrate : checkMigrated)(connected.pool, { directory: migrationsDir, log })
    return connected
  } catch (error) {
    await connected.close()
    throw error
  }
}

/** A connected server. `openPool` opens another pool on it; its options override those of the first pool. */
interface Connected {
  pool: pg.Pool
  openPool(options?: pg.PoolConfig): pg.Pool
  close(): Promise<void>
}

interface ConnectedForQueries extends Connected {
  /** A pool whose connections keep their session; `pool` by default. */
  sessions?: pg.Pool
  /** Whether a connection keeps named statements; true by default. */
  keepsNamedStatements?: boolean
}

/** Creates the database for queries: a pool, and pipelines for prepared statements. */
export function createDatabase<Tables>(
  connected: ConnectedForQueries,
): Database<Tables> & { statements: PostgresPool } {
  const { pool: statements, close } = openStatements(connected)
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: statements }) })
  const { pool, sessions = pool } = connected
  return { db, readDb: db, replicas: () => [], pool, sessions, statements, close }
}

function openStatements({
  pool,
  openPool,
  keepsNamedStatements = true,
  close,
}: ConnectedForQueries): Statements {
  const pipelines = openPipelines(openPool)
  return {
    pool: withNamedStatements(pool, { pipelines, named: keepsNamedStatements }),
    close: () => pipelines.end().finally(close),
  }
}

/** Pool options for commands that move whole tables, without time-outs. */
export const withoutTimeouts = {
  statement_timeout: 0,
  query_timeout: 0,
  idle_in_transaction_session_timeout: 0,
}

/**
 * Connects like `openDatabase`, without migrating or checking migrations.
 * @throws ConfigError as `openDatabase` does
 */
export async function connectDatabase(
  { dataDir, databaseUrl, databaseDirectUrl }: DatabaseSettings,
  log: Log,
  options: pg.PoolConfig,
  connections = testConnections,
): Promise<Connected> {
  const url = databaseDirectUrl ?? databaseUrl
  const setting = databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL'
  const source: Source =
    url === undefined ? await startEmbeddedDatabase({ dataDir, log }) : { setting, url, keepsSession: true }
  const connected = connect(source, log, options)
  try {
    if ('setting' in source) await checkServer(connected, source.setting, connections)
    else await connected.pool.query('SELECT')
    return connected
  } catch (error) {
    await connected.close()
    throw error
  }
}

/** An address, with the name of its setting. */
interface Address {
  setting: string
  url: string
  /** False behind a pooler in transaction mode. */
  keepsSession: boolean
}
type Source = Address | EmbeddedDatabase

function connect(source: Source, log: Log, options: pg.PoolConfig): Connected {
  const openPool = (overrides?: pg.PoolConfig) => createPool(source, { ...options, ...overrides }, log)
  const pool = openPool()
  const close = async () => {
    await pool.end()
    if ('stop' in source) await source.stop()
  }
  return { pool, openPool, close }
}

/**
 * Refuses a new connection to a standby. After a failover, a load balancer or DNS may still lead there, and a
 * connection that stays open would read old data.
 * @throws Error that counts as unavailability of the database
 */
async function refuseStandby(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ standby: boolean }>('SELECT pg_is_in_recovery() AS standby')
  if (rows[0]?.standby)
    throw Object.assign(new Error('the server is a standby, which accepts no writes'), { code: readOnlyCode })
}

/** Session settings. A pooler in transaction mode refuses a client that sends them when it connects. */
const sessionOptions = [
  'options',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
] as const

function createPool(source: Source, overrides: pg.PoolConfig, log: Log): pg.Pool {
  const options: pg.PoolConfig = { ...defaultPoolOptions, ...timeouts, ...overrides, types: columnTypes }
  options.options = [overrides.options, dropDeadClientOptions].filter(Boolean).join(' ')
  if ('url' in source && !source.keepsSession) for (const name of sessionOptions) delete options[name]
  if ('setting' in source && source.keepsSession && source.setting !== 'DATABASE_READ_URL')
    options.onConnect = refuseStandby
  const pool =
    'url' in source
      ? new pg.Pool({ ...options, ...keepAliveOptions, connectionString: source.url })
      : new SupervisedPool({ ...options, ...source.connection }, source.ensureRunning, log)
  // If a connection breaks while in use, its query fails with the error. The event also needs a listener, otherwise it
  // would end the process.
  pool.on('connect', (client) =>
    client.on('error', (error) =>
      log.debug({ error: error.message }, 'A database connection broke while in use'),
    ),
  )
  // An idle connection broke; the next query opens a new one. Without a listener, the event would end the process.
  pool.on(
    'error',
    bindToCaller((error: Error) => log.warn({ error: error.message }, 'A database connection was lost')),
  )
  return pool
}
