import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { columnTypes } from '#server/platform/database/column-types.ts'
import { planOnce, type Database } from '#server/platform/database/database.ts'
import { withNamedStatements } from '#server/platform/database/named-statements.ts'
import type { Tables } from '#server/tables.ts'

/** A database of a test as the site opens it, without a look at its version and migrations. */
export function openTestPool(url: string): Database<Tables> {
  const pool = new pg.Pool({
    connectionString: url,
    types: columnTypes,
    max: 10,
    statement_timeout: 30_000,
    ...planOnce,
  })
  // A database is dropped with whoever is still connected; whoever waits for an answer learns of it by its query.
  pool.on('error', () => {})
  pool.on('connect', (client) => client.on('error', () => {}))
  return {
    db: new Kysely<Tables>({ dialect: new PostgresDialect({ pool: withNamedStatements(pool) }) }),
    pool,
    close: () => pool.end(),
  }
}
