import { sql } from 'kysely'
import type { Db, Tx } from '#server/tables.ts'

/** Sets a tracking setting. Null removes it. */
export async function putTrackingSetting(tx: Tx, key: string, id: string | null): Promise<void> {
  await sql`INSERT INTO settings (key, value) VALUES ('tracking', '{}') ON CONFLICT DO NOTHING`.execute(tx)
  const value =
    id === null ? sql`value - ${key}` : sql`value || jsonb_build_object(${key}::text, ${id}::text)`
  await sql`UPDATE settings SET value = ${value} WHERE key = 'tracking'`.execute(tx)
}

/** Returns the operator's tracking settings by key. Settings without a value are missing. */
export async function selectTrackingSettings(db: Db): Promise<Record<string, string | undefined>> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', 'tracking').executeTakeFirst()
  return { ...row?.value }
}
