import { ownSettingsKey, type OwnSettings } from '#server/platform/config/runtime-settings.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Selects the operators' own settings. */
export async function selectOwn(db: Db): Promise<OwnSettings> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', ownSettingsKey)
    .executeTakeFirst()
  return { ...row?.value }
}

/** Selects the operators' own settings and locks them for the transaction. */
export async function lockOwn(tx: Tx): Promise<OwnSettings> {
  await tx
    .insertInto('settings')
    .values({ key: ownSettingsKey, value: '{}' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await tx
    .selectFrom('settings')
    .select('value')
    .where('key', '=', ownSettingsKey)
    .forUpdate()
    .executeTakeFirst()
  return { ...row?.value }
}

export async function updateOwn(tx: Tx, own: OwnSettings): Promise<void> {
  const value = JSON.stringify(own)
  await tx.updateTable('settings').set({ value }).where('key', '=', ownSettingsKey).execute()
}
