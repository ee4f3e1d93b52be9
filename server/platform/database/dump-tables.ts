import type { Readable } from 'node:stream'
import type { Pool, PoolClient } from 'pg'
import { to } from 'pg-copy-streams'
import type { AppliedMigration } from './migrate.ts'

/** One table of a dump. */
export interface DumpedTable {
  name: string
  /** Stored columns; generated ones are computed on insert. */
  columns: string[]
  /** The size of the table in the database, for estimates. */
  bytes: number
}

/** A partition of a table by range: the rows from `from` (included) to `to` (excluded). */
export interface DumpedPartition {
  name: string
  table: string
  from: string
  to: string
}

/** The metadata of a dump. */
export interface Dump {
  migrations: AppliedMigration[]
  tables: DumpedTable[]
  /** Partitions that the site creates over time. A restore needs them to insert their rows. */
  partitions: DumpedPartition[]
  /** The value of each sequence of the database. */
  counters: Record<string, number>
}

/** The lock of a running backup. While a backup holds it, no process deletes files that the backup may still copy. */
const backupLock = 4_711_850_002

/** SQL that returns true if files may be deleted, because no backup is running. */
export const noBackupRunsQuery = `SELECT pg_try_advisory_xact_lock(${backupLock}) AS free`

/** Reads the id that identifies the site in its bucket. Returns undefined if the database has no id yet. */
export async function readSiteId(pool: Pool): Promise<string | undefined> {
  const { rows } = await pool.query<{ id: string }>(
    "SELECT value->>'id' AS id FROM settings WHERE key = 'site_id'",
  )
  return rows[0]?.id
}

/** Prevents files from being deleted while `work` runs. */
export async function withBackupLock<T>(pool: Pool, work: () => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    await client.query('SELECT pg_advisory_lock_shared($1)', [backupLock])
    const result = await work()
    await client.query('SELECT pg_advisory_unlock_shared($1)', [backupLock])
    return result
  } finally {
    // Closing the connection releases the lock if it is still held.
    client.release(true)
  }
}

/**
 * Passes every table's rows to `write`, all from one snapshot, while the site keeps running.
 * @throws what `write` throws
 */
export async function dumpTables(
  pool: Pool,
  write: (table: DumpedTable, rows: Readable) => Promise<void>,
): Promise<Dump> {
  const client = await pool.connect()
  try {
    await client.query('SET statement_timeout = 0')
    // Otherwise the server closes the connection if the disk of the backup blocks for so long that no rows are read.
    await client.query('SET tcp_user_timeout = 0')
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const { rows: migrations } = await client.query<AppliedMigration>(
      'SELECT name, checksum FROM migrations ORDER BY name',
    )
    const tables = await listTables(client)
    const partitions = await listPartitions(client)
    for (const table of tables) {
      const rows = client.query(to(`COPY ${copySource(client, table)} TO STDOUT`))
      await write(table, rows)
    }
    const counters = await readCounters(client)
    await client.query('COMMIT')
    return { migrations, tables, partitions, counters }
  } finally {
    // Closes the connection, because a COPY may still be in progress after an error.
    client.release(true)
  }
}

type TableColumns = Pick<DumpedTable, 'name' | 'columns'>

/** Returns a table with its columns, for COPY FROM. */
export function copyTarget(client: PoolClient, { name, columns }: TableColumns): string {
  return `${client.escapeIdentifier(name)} (${columnList(client, columns)})`
}

/** Returns a query for COPY TO, because COPY TO cannot read a partitioned table by its name. */
function copySource(client: PoolClient, { name, columns }: TableColumns): string {
  return `(SELECT ${columnList(client, columns)} FROM ${client.escapeIdentifier(name)})`
}

function columnList(client: PoolClient, columns: readonly string[]): string {
  return columns.map((column) => client.escapeIdentifier(column)).join(', ')
}

/**
 * Lists the site's own tables; the rows of partitions belong to their table. An old database may also have a schema
 * `jobs` of a former job queue, which is omitted.
 */
async function listTables(client: PoolClient): Promise<DumpedTable[]> {
  const { rows } = await client.query<DumpedTable>(`
    SELECT c.relname AS name,
      (SELECT coalesce(sum(pg_table_size(relid)), pg_table_size(c.oid))::bigint FROM pg_partition_tree(c.oid)) AS bytes,
      array_agg(a.attname::text ORDER BY a.attnum) AS columns
    FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      AND a.attgenerated = ''
      AND c.relname <> 'migrations'
    GROUP BY c.oid, c.relname ORDER BY c.relname`)
  return rows
}

async function listPartitions(client: PoolClient): Promise<DumpedPartition[]> {
  const { rows } = await client.query<{ name: string; table: string; bound: string }>(`
    SELECT c.relname AS name, parent.relname AS table, pg_get_expr(c.relpartbound, c.oid) AS bound
    FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid JOIN pg_class parent ON parent.oid = inhparent
    WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relispartition ORDER BY c.relname`)
  return rows.flatMap(({ name, table, bound }) => {
    const [, from, to] = /^FOR VALUES FROM \('([^']*)'\) TO \('([^']*)'\)$/.exec(bound) ?? []
    return from !== undefined && to !== undefined ? [{ name, table, from, to }] : []
  })
}

/**
 * Reads the sequences. They are read last, because they are not part of the snapshot. Each must be at least as high as
 * the ids in the dumped rows.
 */
async function readCounters(client: PoolClient): Promise<Record<string, number>> {
  const { rows } = await client.query<{ sequencename: string; last_value: number }>(
    "SELECT sequencename, last_value FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL",
  )
  return Object.fromEntries(rows.map((row) => [row.sequencename, row.last_value]))
}
