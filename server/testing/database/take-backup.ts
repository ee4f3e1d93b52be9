import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

/** Selects each table with its stored columns, without generated ones. */
const tables = sql`
  SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
    AND table_name NOT LIKE 'sandbox%'
  GROUP BY table_name`

/**
 * Snapshots the database. The returned function restores it, as a backup does; the sandbox's tables stay, like a gateway's own
 * records. There are a hundred tables, so the server iterates over them.
 */
export async function takeBackup(db: Db): Promise<() => Promise<void>> {
  await sql`DO $do$
    DECLARE t record;
    BEGIN
      DROP SCHEMA IF EXISTS backup CASCADE;
      CREATE SCHEMA backup;
      FOR t IN ${tables} LOOP
        EXECUTE format('CREATE TABLE backup.%1$I AS TABLE public.%1$I', t.name);
      END LOOP;
    END $do$`.execute(db)
  return async () => {
    // Triggers and foreign keys are disabled during a restore.
    await sql`DO $do$
      DECLARE t record;
      BEGIN
        SET LOCAL session_replication_role = replica;
        FOR t IN ${tables} LOOP
          EXECUTE format('DELETE FROM public.%1$I', t.name);
          EXECUTE format(
            'INSERT INTO public.%1$I (%2$s) OVERRIDING SYSTEM VALUE SELECT %2$s FROM backup.%1$I', t.name, t.columns);
        END LOOP;
      END $do$`.execute(db)
  }
}
