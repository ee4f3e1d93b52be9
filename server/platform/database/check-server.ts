import type pg from 'pg'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { Log } from '#server/platform/log.ts'

const oldestVersion = 15
/** How long one of the connections is waited for that are tried at a start. */
const longestWaitMs = 5000
/** With two, a pooler in transaction mode shows that it is one. */
export const fewConnections = 2

/** Opens a further pool on the server that is checked. */
interface Checked {
  openPool(options?: pg.PoolConfig): pg.Pool
}

/**
 * Checks a PostgreSQL server before it is used: its version, that it gives so many connections at once, and that these keep their session.
 * @param setting the one that has its address
 * @throws ConfigError naming the setting, and what to do
 */
export async function checkServer(server: Checked, setting: string, connections: number): Promise<void> {
  const { version, backends } = await tryConnections(server, setting, connections)
  const major = Math.floor(version / 10_000)
  if (major < oldestVersion)
    throw new ConfigError(
      `${setting} points to PostgreSQL ${major}; the site needs ${oldestVersion} or newer.`,
    )
  if (new Set(backends).size < backends.length)
    throw new ConfigError(
      `${setting} leads to a pooler in transaction mode: set DATABASE_DIRECT_URL to the address of PostgreSQL itself, for what needs a session of its own.`,
    )
}

/**
 * Checks a pooler in transaction mode before calls go through it, and warns where nothing bounds a statement: the site cannot, as that
 * is kept by a session.
 * @throws ConfigError where it gives too few connections
 */
export async function checkPooler(
  pooler: Checked & { pool: pg.Pool },
  connections: number,
  log: Log,
): Promise<void> {
  await tryConnections(pooler, 'DATABASE_URL', connections)
  const { rows } = await pooler.pool.query<{ bound: string }>(
    "SELECT current_setting('statement_timeout') AS bound",
  )
  if (rows[0]?.bound === '0')
    log.warn(
      'Statements that go through the pooler of DATABASE_URL may run without end: set statement_timeout, as deploy/pgbouncer/pgbouncer.ini does.',
    )
}

/** Opens connections one after another and holds them: a pooler may take a client and have no connection for it. */
async function tryConnections(
  { openPool }: Checked,
  setting: string,
  wanted: number,
): Promise<{ version: number; backends: number[] }> {
  const pool = openPool({ max: wanted, connectionTimeoutMillis: longestWaitMs, query_timeout: longestWaitMs })
  const taken: pg.PoolClient[] = []
  const backends: number[] = []
  let version = 0
  try {
    while (backends.length < wanted) {
      const client = await pool.connect()
      taken.push(client)
      const { rows } = await client.query<{ version: string; backend: number }>(
        "SELECT current_setting('server_version_num') AS version, pg_backend_pid() AS backend",
      )
      version = Number(rows[0]?.version)
      backends.push(rows[0]?.backend ?? 0)
    }
    return { version, backends }
  } catch (error) {
    throw explain(error, setting, { wanted, had: backends.length })
  } finally {
    for (const client of taken) client.release(true)
    await pool.end()
  }
}

function explain(
  cause: unknown,
  setting: string,
  { wanted, had }: { wanted: number; had: number },
): ConfigError {
  const reason = cause instanceof Error ? cause.message || String(cause) : String(cause)
  if (had > 0)
    return new ConfigError(
      `The server of ${setting} gave ${had} connections of the ${wanted} that this process needs (${reason}): raise max_connections of PostgreSQL, or default_pool_size and max_client_conn of PgBouncer.`,
      { cause },
    )
  const isPooler = /unsupported startup parameter/.test(reason)
  return new ConfigError(
    `The PostgreSQL server of ${setting} can't be used: ${reason}.${isPooler ? ' This is PgBouncer: set DATABASE_DIRECT_URL to the address of PostgreSQL itself, or let PgBouncer ignore this parameter in session mode.' : ''}`,
    { cause },
  )
}
