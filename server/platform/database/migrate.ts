import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Pool, PoolClient, QueryConfig } from 'pg'
import { setTimeout as delay } from 'node:timers/promises'
import { commandLineOf } from '#scripts/command-line-of.mjs'
import { ConfigError } from '#server/platform/config/config-error.ts'
import type { Log } from '#server/platform/log.ts'
import { siteVersion } from '#server/platform/site-version.ts'

interface Migration {
  name: string
  sql: string
  checksum: string
  /** Runs each statement in a separate transaction, as `CREATE INDEX CONCURRENTLY` requires. */
  outsideTransaction: boolean
  /**
   * True if the release that contains the migration also runs without it. Such a migration may run before or after the
   * processes are updated.
   */
  isDeferrable: boolean
}

/** A migration that has run on a database. */
export type AppliedMigration = Pick<Migration, 'name' | 'checksum'>

/** An arbitrary key for the advisory lock that lets one process migrate at a time. */
const lockKey = 4_711_850_001
/**
 * A leading comment of a migration that runs outside a transaction. Each of its statements must be safe to run twice.
 */
const outsideTransactionMark = '-- Runs outside a transaction.'
/**
 * A leading comment of a migration that its own release does not need: the release also runs on a database without it.
 * From 1.0.0 on, every migration must have this comment, so a migration may only expand the schema.
 */
const deferrableMark = '-- This release runs without it.'
/**
 * Maximum time that a statement waits for a lock. It is short, because a waiting statement blocks all later statements
 * on the table.
 */
const lockTimeoutMs = 2000
const lockPollMs = 200
const firstPauseMs = 500
const longestPauseMs = 10_000
const progressEveryMs = 5000
/** SQLSTATEs of a migration that another transaction prevented: lock_not_available, deadlock_detected. */
const lockConflicts = new Set<unknown>(['55P03', '40P01'])

interface MigrateOptions {
  directory: string
  log: Log
  /** The last file to run; all files by default. */
  upTo?: string
  /** The version of the site that runs the migrations. */
  version?: string
  /** Maximum time for which a migration that does not get a lock is retried. */
  lockRetryLimitMs?: number
}

/**
 * Runs every SQL file of `directory` that has not run yet, in the order of the names. Each runs in a transaction unless
 * a leading comment says otherwise. If several processes start at once, each file still runs once. Leaves the database
 * unchanged if a newer release of the same major version has migrated it.
 * @throws ConfigError if a file changed after it ran, or if another major version has migrated the database
 */
export async function migrate(pool: Pool, options: MigrateOptions): Promise<void> {
  const { directory, log, upTo, version = siteVersion } = options
  const migrations = readMigrations(directory).filter(({ name }) => upTo === undefined || name <= upTo)
  const client = await pool.connect()
  try {
    // The pool's time-out must not end a migration, or the wait for another process that migrates.
    await client.query('SET statement_timeout = 0')
    await waitForMigrationLock(client)
    await client.query(`SET lock_timeout = ${lockTimeoutMs}`)
    await createHistory(client)
    const pending = findPending(await readHistory(client), migrations, { log, version })
    for (const [index, migration] of pending.entries()) {
      const began = performance.now()
      await runMigration(pool, client, migration, options)
      const ms = Math.round(performance.now() - began)
      log.debug({ migration: migration.name, ms }, `Migration ${index + 1} of ${pending.length} done`)
    }
  } finally {
    // Closing the connection releases the lock and resets the settings.
    client.release(true)
  }
}

/**
 * Waits until no other process migrates. Polls, because a statement that waits for the lock would hold a snapshot, and
 * building an index concurrently waits for all older snapshots.
 */
async function waitForMigrationLock(client: PoolClient): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_lock($1) AS mine', [
      lockKey,
    ])
    if (rows[0]?.mine) return
    await delay(lockPollMs)
  }
}

/**
 * Checks that this release can run on the database, without changing it. A migration that the release does not need may
 * be missing, so that a release starts on the schema of the previous release.
 * @throws ConfigError as `migrate` does, and if a migration that the release needs has not run yet
 */
export async function checkMigrated(
  pool: Pool,
  { directory, log, version = siteVersion }: MigrateOptions,
): Promise<void> {
  const { rows } = await pool.query<{ exists: boolean }>(
    "SELECT to_regclass('migrations') IS NOT NULL AS exists",
  )
  const history = rows[0]?.exists ? await readHistory(pool) : []
  const pending = findPending(history, readMigrations(directory), { log, version })
  const [first, ...others] = pending.filter(({ isDeferrable }) => !isDeferrable)
  if (first)
    throw new ConfigError(
      `The database is not up to date. Migrations that have not run: ${first.name}${others.length > 0 ? ` and ${others.length} more` : ''}. Run "${commandLineOf('migrate')}" first (or set MIGRATE=auto).`,
    )
  if (pending.length > 0)
    log.warn(
      `The database has the schema of an older version: ${pending.length} migrations have not run. This version runs without them. Run "${commandLineOf('migrate')}" when you can.`,
    )
}

/**
 * Creates a query without a client-side time-out. The types of `pg` do not know that `query_timeout` can be set per
 * query.
 */
function queryWithoutTimeout(text: string, values?: unknown[]): QueryConfig {
  return { text, values, query_timeout: 2 ** 31 - 1 } as QueryConfig
}

function readMigrations(directory: string): Migration[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.sql'))
    .toSorted()
    .map((name) => {
      const sql = readFileSync(join(directory, name), 'utf8')
      const checksum = createHash('sha256').update(sql).digest('hex')
      const marks = leadingComments(sql)
      return {
        name,
        sql,
        checksum,
        outsideTransaction: marks.includes(outsideTransactionMark),
        isDeferrable: marks.includes(deferrableMark),
      }
    })
}

function leadingComments(sql: string): string[] {
  const lines = sql.split('\n')
  return lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith('--')),
  )
}

async function createHistory(client: PoolClient): Promise<void> {
  await client.query(`CREATE TABLE IF NOT EXISTS migrations (
    name text PRIMARY KEY,
    checksum text NOT NULL,
    version text,
    ran_at timestamptz NOT NULL DEFAULT now()
  )`)
  await client.query('ALTER TABLE migrations ADD COLUMN IF NOT EXISTS version text')
}

interface PastMigration {
  name: string
  checksum: string
  /** The version of the site that ran the migration; null if versions were not recorded yet. */
  version: string | null
}

async function readHistory(client: Pick<PoolClient, 'query'>): Promise<PastMigration[]> {
  const { rows } = await client.query<{ past: PastMigration }>(
    'SELECT to_jsonb(migrations) AS past FROM migrations ORDER BY name',
  )
  return rows.map(({ past: { name, checksum, version = null } }) => ({ name, checksum, version }))
}

/** Compares the files with the migrations that have run. @returns the migrations that have not run, in order */
function findPending(
  history: readonly PastMigration[],
  migrations: readonly Migration[],
  { log, version }: { log: Log; version: string },
): Migration[] {
  const known = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  const done = new Set(history.map(({ name }) => name))
  const newest = migrations.at(-1)?.name ?? ''
  for (const { name, checksum } of history)
    if (known.has(name) && known.get(name) !== checksum)
      throw new ConfigError(
        `Migration ${name} has changed since it ran on this database: restore the file and put the change into a new file.`,
      )
  const late = migrations.find(
    ({ name }) => !done.has(name) && history.some((ran) => ran.name > name && ran.name <= newest),
  )
  if (late)
    throw new ConfigError(
      `Migration ${late.name} comes before others that have already run on this database: give it the next number.`,
    )
  acceptNewerSchema(
    history.filter(({ name }) => !known.has(name)),
    { log, version },
  )
  return migrations.filter(({ name }) => !done.has(name))
}

const majorOf = (version: string | null) => version?.split('.')[0]

/**
 * Accepts the schema of a newer release of the same major version, so that an update can be rolled out and rolled back.
 * @throws ConfigError for another major version
 */
function acceptNewerSchema(
  unknown: readonly PastMigration[],
  { log, version }: { log: Log; version: string },
): void {
  const foreign = unknown.find((past) => majorOf(past.version) !== majorOf(version))
  if (foreign)
    throw new ConfigError(
      `The database has been used by another version of the site (migration ${foreign.name} is unknown here): start that version or a newer one.`,
    )
  const newest = unknown.at(-1)
  if (newest)
    log.warn(
      `The database has been migrated by version ${newest.version}, which is newer than this one (${version}).`,
    )
}

async function runMigration(
  pool: Pool,
  client: PoolClient,
  migration: Migration,
  { log, version = siteVersion, lockRetryLimitMs = 600_000 }: MigrateOptions,
): Promise<void> {
  const { name } = migration
  const began = Date.now()
  const notice = setInterval(() => void reportProgress(pool, name, began, log), progressEveryMs)
  try {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const locked = await tryMigration(client, migration, version)
      if (!locked) return
      if (Date.now() - began >= lockRetryLimitMs) throw locked
      log.info(`Migration ${name} waits for another transaction and is retried`)
      await delay(pauseMs)
    }
  } catch (error) {
    const state = migration.outsideTransaction ? 'continues at the next start' : 'was undone'
    throw new Error(
      `Migration ${name} failed and ${state}: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    )
  } finally {
    clearInterval(notice)
  }
}

/**
 * Runs a migration. After an error, its changes are rolled back or safe to repeat.
 * @returns the error if another transaction holds a required lock or has deadlocked with the migration
 */
async function tryMigration(
  client: PoolClient,
  { name, sql, checksum, outsideTransaction }: Migration,
  version: string,
): Promise<Error | undefined> {
  const note = 'INSERT INTO migrations (name, checksum, version) VALUES ($1, $2, $3)'
  try {
    if (outsideTransaction) {
      // Building an index concurrently waits for every transaction, but blocks none.
      await client.query('SET lock_timeout = 0')
      for (const statement of statementsOf(sql)) {
        await dropInvalidIndex(client, statement)
        await client.query(queryWithoutTimeout(statement))
      }
      await client.query(note, [name, checksum, version])
      await client.query(`SET lock_timeout = ${lockTimeoutMs}`)
      return undefined
    }
    await client.query('BEGIN')
    await client.query(queryWithoutTimeout(sql))
    await client.query(note, [name, checksum, version])
    await client.query('COMMIT')
    return undefined
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {})
    if (error instanceof Error && 'code' in error && lockConflicts.has(error.code)) return error
    throw error
  }
}

/** Splits SQL into statements at semicolons that end lines, except in the body of a function, between `$$`. */
function statementsOf(sql: string): string[] {
  return (sql.match(/(?:\$\$[^]*?\$\$|[^])+?(?:;\s*$|$(?![^]))/gm) ?? [])
    .map((statement) => statement.replaceAll(/^--.*$/gm, '').trim())
    .filter((statement) => statement !== '')
}

/** Drops the invalid index that an interrupted build left under this name: `IF NOT EXISTS` would keep it. */
async function dropInvalidIndex(client: PoolClient, statement: string): Promise<void> {
  const [, index] = /^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (?:IF NOT EXISTS )?(\w+)/i.exec(statement) ?? []
  if (index === undefined) return
  const { rowCount } = await client.query(
    'SELECT FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    [index],
  )
  if (rowCount) await client.query(queryWithoutTimeout(`DROP INDEX CONCURRENTLY ${index}`))
}

/** Logs for how long a migration has been running and, for an index build, its progress. */
async function reportProgress(pool: Pool, name: string, began: number, log: Log): Promise<void> {
  const seconds = Math.round((Date.now() - began) / 1000)
  const done = await readIndexProgress(pool).catch(() => undefined)
  const remaining =
    done === undefined || done <= 0 ? '' : `, about ${Math.round(seconds / done - seconds)} s left`
  log.info(
    `Migration ${name} has been running for ${seconds} s${done === undefined ? '' : ` (${Math.round(done * 100)} %)`}${remaining}`,
  )
}

async function readIndexProgress(pool: Pool): Promise<number | undefined> {
  const { rows } = await pool.query<{ done: number }>(
    `SELECT blocks_done::float8 / blocks_total AS done FROM pg_stat_progress_create_index
     WHERE datname = current_database() AND blocks_total > 0`,
  )
  return rows[0]?.done
}
