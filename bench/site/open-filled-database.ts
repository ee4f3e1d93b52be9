import { mkdirSync } from 'node:fs'
import pg from 'pg'
import { columnTypes } from '#server/platform/database/column-types.ts'
import { openDatabase } from '#server/platform/database/database.ts'
import { startEmbeddedDatabase } from '#server/platform/database/embedded/embedded-database.ts'
import { createLog } from '#server/platform/log.ts'
import type { Tables } from '#server/tables.ts'

const log = createLog({ json: false, level: 'warn' })

/** A filled database on a running server, and a pool without a statement timeout. */
export interface FilledDatabase {
  pool: pg.Pool
  close(): Promise<void>
}

/**
 * Fills the database of a site, and opens it. While `fill` runs, the server is not durable, because the data can be
 * generated again. Afterwards the server is restarted with the settings of a site.
 */
export async function openFilledDatabase(
  dataDir: string,
  fill: (pool: pg.Pool) => Promise<void>,
): Promise<FilledDatabase> {
  mkdirSync(dataDir, { recursive: true })
  const filling = await startEmbeddedDatabase({ dataDir, log, durable: false })
  try {
    const { pool, close } = await openPool(dataDir)
    await fill(pool).finally(close)
  } finally {
    await filling.stop()
  }
  return openPool(dataDir)
}

async function openPool(dataDir: string): Promise<FilledDatabase> {
  const database = await openDatabase<Tables>({ dataDir, databaseUrl: undefined, migrate: true }, log)
  const { connection } = await startEmbeddedDatabase({ dataDir, log })
  // Uses its own connection pool, because the statement timeout of the site's pool is too short for filling.
  const pool = new pg.Pool({ ...connection, types: columnTypes })
  // Ignores an error that a closing connection may get when the database server stops.
  pool.on('error', () => undefined)
  return {
    pool,
    async close() {
      await pool.end()
      await database.close()
    },
  }
}
