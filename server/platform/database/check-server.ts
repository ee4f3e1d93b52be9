import type pg from 'pg'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { Log } from '#server/platform/log.ts'

const oldestVersion = 15
/** Time-out for each tested connection at start. */
const longestWaitMs = 5000
/** Two connections are enough to detect a pooler in transaction mode. */
export const testConnections = 2

/** The server to test; `openPool` opens a new pool on it. */
interface TestedServer {
  openPool(options?: pg.PoolConfig): pg.Pool
}

/**
 * Checks a PostgreSQL server before use: its version, the encoding of the database, the number of connections, and
 * whether a connection keeps its session.
 * @param setting the name of the setting with its address
 * @param connections the number of simultaneous connections that the server must provide
 * @throws ConfigError naming the setting, and what to do
 */
export async function checkServer(server: TestedServer, setting: string, connections: number): Promise<void> {
  const { version, encoding, backends } = await tryConnections(server, setting, connections)
  const major = Math.floor(version / 10_000)
  if (major < oldestVersion)
    throw new ConfigError(
      `${setting} points to PostgreSQL ${major}; the site needs ${oldestVersion} or newer.`,
    )
  if (encoding !== 'UTF8')
    throw new ConfigError(
      `The database of ${setting} has the encoding ${encoding}; the site needs UTF8. Create a database with createdb --encoding=UTF8 --template=template0. To move existing data there, restore a backup that the previous release made (docs/backup.md).`,
    )
  if (new Set(backends).size < backends.length)
    throw new ConfigError(
      `${setting} is the address of a pooler in transaction mode: set DATABASE_DIRECT_URL to the address of PostgreSQL itself, for connections that keep a session.`,
    )
}

/**
 * Checks a pooler in transaction mode before calls use it. Warns if nothing limits the duration of a statement, because
 * the site cannot set that limit behind a pooler: it is a session setting.
 * @throws ConfigError if it provides too few connections
 */
export async function checkPooler(
  pooler: TestedServer & { pool: pg.Pool },
  connections: number,
  log: Log,
): Promise<void> {
  await tryConnections(pooler, 'DATABASE_URL', connections)
  const { rows } = await pooler.pool.query<{ bound: string }>(
    "SELECT current_setting('statement_timeout') AS bound",
  )
  if (rows[0]?.bound === '0')
    log.warn(
      'Statements that go through the pooler of DATABASE_URL have no time limit: set statement_timeout, as deploy/pgbouncer/pgbouncer.ini does.',
    )
}

/**
 * Opens connections one after another and keeps them open, because a pooler may accept a client although it has no
 * server connection left.
 */
async function tryConnections(
  { openPool }: TestedServer,
  setting: string,
  needed: number,
): Promise<{ version: number; encoding: string; backends: number[] }> {
  const pool = openPool({ max: needed, connectionTimeoutMillis: longestWaitMs, query_timeout: longestWaitMs })
  const clients: pg.PoolClient[] = []
  const backends: number[] = []
  let version = 0
  let encoding = ''
  try {
    while (backends.length < needed) {
      const client = await pool.connect()
      clients.push(client)
      const { rows } = await client.query<{ version: string; encoding: string; backend: number }>(
        "SELECT current_setting('server_version_num') AS version, current_setting('server_encoding') AS encoding, pg_backend_pid() AS backend",
      )
      version = Number(rows[0]?.version)
      encoding = rows[0]?.encoding ?? ''
      backends.push(rows[0]?.backend ?? 0)
    }
    return { version, encoding, backends }
  } catch (error) {
    throw explainError(error, setting, { required: needed, received: backends.length })
  } finally {
    for (const client of clients) client.release(true)
    await pool.end()
  }
}

function explainError(
  cause: unknown,
  setting: string,
  { required, received }: { required: number; received: number },
): ConfigError {
  const reason = cause instanceof Error ? cause.message || String(cause) : String(cause)
  if (received > 0)
    return new ConfigError(
      `The server of ${setting} accepted only ${received} of the ${required} connections that this process needs (${reason}): raise max_connections of PostgreSQL, or default_pool_size and max_client_conn of PgBouncer.`,
      { cause },
    )
  const isPooler = /unsupported startup parameter/.test(reason)
  return new ConfigError(
    `The PostgreSQL server of ${setting} can't be used: ${reason}.${isPooler ? ' This is PgBouncer: set DATABASE_DIRECT_URL to the address of PostgreSQL itself, or let PgBouncer ignore this parameter in session mode.' : ''}`,
    { cause },
  )
}
