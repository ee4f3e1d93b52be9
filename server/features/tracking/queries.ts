import type { Db } from '#server/tables.ts'

/** The operator's tracking settings by key; an unset one is missing. */
export async function selectTrackingSettings(db: Db): Promise<Record<string, string | undefined>> {
  const row = await db.selectFrom('settings').select('value').where('key', '=', 'tracking').executeTakeFirst()
  return { ...row?.value }
}
