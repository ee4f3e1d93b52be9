import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import { ConfigError } from '#server/platform/config-error.ts'
import type { Log } from '#server/platform/log.ts'

interface Migration {
  name: string
  sql: string
  checksum: string
}

/** A migration that has run on a database. */
export type RunMigration = Pick<Migration, 'name' | 'checksum'>

/** A number of our own for the advisory lock that lets one process migrate at a time. */
const lockKey = 4_711_850_001

/**
 * Brings the database up to date: runs every SQL file of `directory` that has not run yet, in the order of the names, each in a transaction.
 * Safe in several processes at once. Never goes back. With `upTo` it ends with the file of that name.
 * @throws ConfigError if a file changed after it ran, or the database knows a migration that this version does not
 */
export async function migrate(
  pool: Pool,
  { directory, log, upTo }: { directory: string; log: Log; upTo?: string },
): Promise<void> {
  const migrations = readMigrations(directory).filter(({ name }) => upTo === undefined || name <= upTo)
  const client = await pool.connect()
  try {
    // The pool's time-outs do not hold for a migration, nor for waiting for another process's.
    await client.query('SET statement_timeout = 0')
    await client.query(unhurried('SELECT pg_advisory_lock($1)', [lockKey]))
    await runMissing(client, migrations, log)
  } finally {
    // Closing the connection gives back the lock and the settings.
    client.release(true)
  }
}

/** A query that may take its time. The types do not know that `query_timeout` can be given with a query. */
function unhurried(text: string, values?: unknown[]): QueryConfig {
  return { text, values, query_timeout: 2 ** 31 - 1 } as QueryConfig
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(join(directory, name), 'utf8')
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') }
    })
}

async function runMissing(client: PoolClient, migrations: Migration[], log: Log): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS migrations (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    ran_at timestamptz NOT NULL DEFAULT now()
  )`)
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'SELECT name, checksum FROM migrations',
  )
  const done = new Map(rows.map((row) => [row.name, row.checksum]))
  checkHistory(done, migrations)
  const missing = migrations.filter(({ name }) => !done.has(name))
  for (const [index, migration] of missing.entries()) {
    const started = performance.now()
    await runOne(client, migration, log)
    log.debug(
      { migration: migration.name, ms: Math.round(performance.now() - started) },
      `Migration ${index + 1} of ${missing.length} done`,
    )
  }
}

function checkHistory(done: Map<string, string>, migrations: Migration[]): void {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  const newest = migrations.at(-1)?.name ?? ''
  for (const [name, checksum] of done) {
    if (!known.has(name)) {
      throw new ConfigError(
        `The database has been used by another version of the site (migration ${name} is unknown here): start that version, or one newer than it.`,
      )
    }
    if (known.get(name) !== checksum)
      throw new ConfigError(
        `Migration ${name} has changed since it ran on this database: restore the file and put the change into a new one.`,
      )
  }
  const late = migrations.find(
    ({ name }) => !done.has(name) && [...done.keys()].some((ran) => ran > name && ran <= newest),
  )
  if (late)
    throw new ConfigError(
      `Migration ${late.name} comes before others that have already run on this database: give it the next number.`,
    )
}

async function runOne(client: PoolClient, { name, sql, checksum }: Migration, log: Log): Promise<void> {
  const started = Date.now()
  const notice = setInterval(
    () => log.info(`Migration ${name} has been running for ${Math.round((Date.now() - started) / 1000)} s`),
    5000,
  )
  try {
    await client.query('BEGIN')
    await client.query(unhurried(sql))
    await client.query('INSERT INTO migrations (name, checksum) VALUES ($1, $2)', [name, checksum])
    await client.query('COMMIT')
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    throw new Error(
      `Migration ${name} failed and was undone: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  } finally {
    clearInterval(notice)
  }
}
