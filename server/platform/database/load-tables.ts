import type { Writable } from 'node:stream'
import type { Pool, PoolClient } from 'pg'
import { from } from 'pg-copy-streams'
import { copyTarget, type Dump, type DumpedPartition, type DumpedTable } from './dump-tables.ts'

/** Returns true if no site has used the database yet. A site stores settings at its first start. */
export async function isUnusedDatabase(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ there: boolean }>("SELECT to_regclass('settings') IS NOT NULL AS there")
  if (!rows[0]?.there) return true
  return (await pool.query('SELECT 1 FROM settings LIMIT 1')).rowCount === 0
}

/**
 * Inserts a dump's rows in one transaction, into a database that has exactly the dump's migrations. `writeRows` writes
 * a table's rows into the stream it is given.
 * @throws what `writeRows` throws
 */
export async function loadTables(
  pool: Pool,
  { tables, partitions, counters }: Dump,
  writeRows: (table: DumpedTable, rows: Writable) => Promise<void>,
): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query('SET statement_timeout = 0')
    await client.query('BEGIN')
    for (const partition of partitions) await createPartition(client, partition)
    const names = tables.map(({ name }) => client.escapeIdentifier(name))
    const restoreStatements = await dropForeignKeys(client)
    for (const name of names) await client.query(`ALTER TABLE ${name} DISABLE TRIGGER USER`)
    await client.query(`TRUNCATE ${names.join(', ')}`)
    for (const table of tables)
      await writeRows(table, client.query(from(`COPY ${copyTarget(client, table)} FROM STDIN`)))
    for (const name of names) await client.query(`ALTER TABLE ${name} ENABLE TRIGGER USER`)
    for (const statement of restoreStatements) await client.query(statement)
    for (const [name, value] of Object.entries(counters))
      await client.query('SELECT setval($1::regclass, $2)', [client.escapeIdentifier(name), value])
    await client.query('COMMIT')
    await client.query('ANALYZE')
  } finally {
    client.release(true)
  }
}

/** Creates a partition for restored rows. A new database has partitions only for the current time. */
async function createPartition(
  client: PoolClient,
  { name, table, from, to }: DumpedPartition,
): Promise<void> {
  const [partition, parent] = [client.escapeIdentifier(name), client.escapeIdentifier(table)]
  const bounds = `FROM (${client.escapeLiteral(from)}) TO (${client.escapeLiteral(to)})`
  await client.query(`CREATE TABLE IF NOT EXISTS ${partition} PARTITION OF ${parent} FOR VALUES ${bounds}`)
}

/**
 * Drops the foreign keys, so that tables can be filled in any order and are checked once at the end. Only the owner of
 * the tables may do this.
 * @returns the statements that restore them
 */
async function dropForeignKeys(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; add: string }>(`
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
      format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS add
    FROM pg_constraint WHERE contype = 'f' AND connamespace = 'public'::regnamespace ORDER BY conname`)
  for (const { drop } of rows) await client.query(drop)
  return rows.map(({ add }) => add)
}
