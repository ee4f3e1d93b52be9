import pg from 'pg'
import { columnTypes } from '#server/platform/database/column-types.ts'
import { createDatabase, genericPlanOptions, type Database } from '#server/platform/database/database.ts'
import type { Tables } from '#server/tables.ts'

/** Opens a test's database as the site does, but does not check its version and migrations. */
export function openTestPool(url: string): Database<Tables> {
  const openPool = (more: pg.PoolConfig = {}) => {
    const pool = new pg.Pool({
      connectionString: url,
      types: columnTypes,
      statement_timeout: 60_000,
      ...genericPlanOptions,
      ...more,
    })
    return withoutConnectionErrors(pool)
  }
  const pool = openPool({ max: 10 })
  return createDatabase({ pool, openPool, close: () => pool.end() })
}

/**
 * Ignores errors of a pool's connections and returns the pool. A test's database may be dropped while clients are
 * connected, because `pool.end()` does not wait until the connections are closed. A client that waits for a result gets
 * the error from its query.
 */
export function withoutConnectionErrors(pool: pg.Pool): pg.Pool {
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
