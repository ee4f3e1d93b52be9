import { sql } from 'kysely'
import type { Db } from '#server/tables.ts'

/** Selects each table with its stored columns. Generated columns are left out. */
const tables = sql`
  SELECT table_name AS name, string_agg(quote_ident(column_name), ', ') AS columns
  FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
  WHERE table_schema = 'public' AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
    AND table_name NOT LIKE 'sandbox%'
  GROUP BY table_name`

/**
 * Stores a snapshot of the database, which replaces the previous one. The sandbox's tables are not restored, because a
 * site's backup does not restore the records of a real gateway. The loop over the tables runs in the server, because
 * there are about a hundred tables. The copies of the tables are created once per database, because creating them takes
 * longer than most tests.
 * @returns a function that restores the snapshot, as from a backup
 */
export async function takeBackup(db: Db): Promise<() => Promise<void>> {
  await sql`DO $do$
    DECLARE
      t record;
      is_first boolean := to_regnamespace('backup') IS NULL;
    BEGIN
      IF is_first THEN CREATE SCHEMA backup; END IF;
      FOR t IN ${tables} LOOP
        IF is_first THEN
          EXECUTE format('CREATE UNLOGGED TABLE backup.%1$I AS TABLE public.%1$I', t.name);
        ELSE
          EXECUTE format('DELETE FROM backup.%1$I', t.name);
          EXECUTE format('INSERT INTO backup.%1$I TABLE public.%1$I', t.name);
        END IF;
      END LOOP;
    END $do$`.execute(db)
  return async () => {
    // During a restore, triggers and foreign keys are disabled.
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
