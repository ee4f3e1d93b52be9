import { Kysely, PostgresDialect } from 'kysely'
import { join } from 'node:path'
import pg from 'pg'
import { ConfigError } from '#server/platform/config/config-error.ts'
import { startEmbedded, type EmbeddedDatabase } from './embedded/embedded.ts'
import { checkMigrated, migrate } from '#server/platform/database/migrate.ts'
import { openPipelines } from '#server/platform/database/pipelines.ts'
import { withNamedStatements } from '#server/platform/database/named-statements.ts'
import { SupervisedPool } from '#server/platform/database/supervised-pool.ts'
import { columnTypes } from '#server/platform/database/column-types.ts'
import type { Log } from '#server/platform/log.ts'

/** Where the data lives: `databaseUrl` undefined means the embedded server in `dataDir`. */
interface DatabaseSettings {
  dataDir: string
  databaseUrl: string | undefined
}

interface MigrationSettings {
  /** Whether the database is brought up to date here. Otherwise it has to be already. */
  migrate: boolean
}

/** An open database. `Tables` is the caller's: this folder knows no feature. */
export interface Database<Tables> {
  db: Kysely<Tables>
  /** For what Kysely does not do (LISTEN, the job queue). */
  pool: pg.Pool
  close: () => Promise<void>
}

const oldestVersion = 15
/** The migrations of this version of the site. */
export const migrationsDir = join(import.meta.dirname, 'migrations')

/**
 * Has connections plan each statement once, for all values: for the processes that answer calls, whose statements are
 * short and made for an index. A condition that an index is limited to has to be written out there, not bound.
 */
export const planOnce = { options: '-c plan_cache_mode=force_generic_plan' }

/**
 * For processes that answer calls: the longest wait for a connection. After it, people are asked to try again later.
 */
export const forCalls = ({ databaseWaitMs }: { databaseWaitMs: number }): pg.PoolConfig => ({
  ...planOnce,
  connectionTimeoutMillis: databaseWaitMs,
})

const limits = {
  max: 20,
  idleTimeoutMillis: 60_000,
  statement_timeout: 30_000,
  idle_in_transaction_session_timeout: 60_000,
}

/** How long is waited for a connection, and for an answer of a server that may have gone without a word. */
const patience = { connectionTimeoutMillis: 10_000, query_timeout: 35_000 }

/** Proxies and firewalls drop a connection that is idle for some minutes, often silently. */
const keptAlive = { keepAlive: true, keepAliveInitialDelayMillis: 60_000 }

/**
 * Connects to PostgreSQL (DATABASE_URL, else the embedded one, started here), checks its version, and migrates it or checks that it is.
 * @param options for the pool's connections, such as `planOnce`; a test has other time-outs
 * @throws ConfigError naming DATABASE_URL if that server can't be reached, is older than 15 or has to be migrated first
 */
export async function openDatabase<Tables>(
  { dataDir, databaseUrl, migrate: mayMigrate }: DatabaseSettings & MigrationSettings,
  log: Log,
  options: pg.PoolConfig = {},
): Promise<Database<Tables>> {
  const connected = await connectDatabase({ dataDir, databaseUrl }, log, options)
  try {
    await (mayMigrate ? migrate : checkMigrated)(connected.pool, { directory: migrationsDir, log })
  } catch (error) {
    await connected.close()
    throw error
  }
  return databaseOn(connected)
}

/** A connected server, and how to open more pools on it, with options on top of the first one's. */
interface Connected {
  pool: pg.Pool
  openPool(options?: pg.PoolConfig): pg.Pool
  close(): Promise<void>
}

/** The database for queries: a pool, and pipelines for prepared statements. */
export function databaseOn<Tables>({ pool, openPool, close }: Connected): Database<Tables> {
  const pipelines = openPipelines(openPool)
  return {
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withNamedStatements(pool, pipelines) }) }),
    pool,
    close: () => pipelines.end().finally(close),
  }
}

/** For commands that move whole tables: nothing they do is given up for taking long. */
export const unhurried = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 }

/** As `openDatabase`, but takes the database as it is. @throws ConfigError as there */
export async function connectDatabase(
  { dataDir, databaseUrl }: DatabaseSettings,
  log: Log,
  options: pg.PoolConfig,
): Promise<Connected> {
  const embedded = databaseUrl === undefined ? await startEmbedded({ dataDir, log }) : undefined
  const openPool = (more?: pg.PoolConfig) =>
    makePool(embedded ?? databaseUrl ?? '', { ...options, ...more }, log)
  const pool = openPool()
  const close = async () => {
    await pool.end()
    await embedded?.stop()
  }
  try {
    await checkServer(pool, embedded !== undefined)
  } catch (error) {
    await close()
    throw error
  }
  return { pool, openPool, close }
}

function makePool(source: EmbeddedDatabase | string, given: pg.PoolConfig, log: Log): pg.Pool {
  const options = { ...limits, ...patience, ...given, types: columnTypes }
  const pool =
    typeof source === 'string'
      ? new pg.Pool({ ...options, ...keptAlive, connectionString: source })
      : new SupervisedPool({ ...options, ...source.connection }, source.ensureRunning, log)
  // A connection that broke while in use: its user gets the error, but the event still needs a listener.
  pool.on('connect', (client) =>
    client.on('error', (error) =>
      log.debug({ error: error.message }, 'A database connection broke while in use'),
    ),
  )
  // An idle connection broke. The next query opens another; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ error: error.message }, 'A database connection was lost'))
  return pool
}

async function checkServer(pool: pg.Pool, embedded: boolean): Promise<void> {
  const version = await pool
    .query<{ server_version_num: string }>('SHOW server_version_num')
    .catch((error: unknown) => {
      if (embedded) throw error
      throw new ConfigError(
        `The PostgreSQL server of DATABASE_URL can't be used: ${error instanceof Error ? error.message || String(error) : String(error)}.`,
        { cause: error },
      )
    })
  const major = Math.floor(Number(version.rows[0]?.server_version_num) / 10_000)
  if (major < oldestVersion)
    throw new ConfigError(
      `DATABASE_URL points to PostgreSQL ${major}; the site needs ${oldestVersion} or newer.`,
    )
}
