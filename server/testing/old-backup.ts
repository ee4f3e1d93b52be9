import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

interface TableShape {
  name: string
  /** Those that are written, not generated. */
  columns: string
}

/**
 * Keeps the database as it is now. The function that is returned brings it back to that, as a restored backup does; the sandbox's
 * tables stay, as a gateway's own books do.
 */
export async function takeBackup(db: Db): Promise<() => Promise<void>> {
  const { rows: tables } = await sql<TableShape>`
    SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns
    FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
    WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
      AND table_name NOT LIKE 'sandbox%'
    GROUP BY table_name`.execute(db)
  await sql`DROP SCHEMA IF EXISTS backup CASCADE`.execute(db)
  await sql`CREATE SCHEMA backup`.execute(db)
  for (const { name } of tables)
    await sql`CREATE TABLE ${sql.id('backup', name)} AS TABLE ${sql.id('public', name)}`.execute(db)
  return () =>
    db.transaction().execute(async (tx) => {
      // Neither triggers nor references look at a restore.
      await sql`SET LOCAL session_replication_role = replica`.execute(tx)
      for (const { name, columns } of tables) {
        await sql`DELETE FROM ${sql.id('public', name)}`.execute(tx)
        await sql`INSERT INTO ${sql.id('public', name)} (${sql.raw(columns)}) OVERRIDING SYSTEM VALUE
          SELECT ${sql.raw(columns)} FROM ${sql.id('backup', name)}`.execute(tx)
      }
    })
}
