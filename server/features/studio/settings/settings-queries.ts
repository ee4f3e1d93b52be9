import { runtimeSettingsKey, type RuntimeOverrides } from '#server/platform/config/runtime-settings.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Returns the settings that operators have changed. */
export async function selectOwnSettings(db: Db): Promise<RuntimeOverrides> {
  const row = await db
    .selectFrom('settings')
    .select('value')
    .where('key', '=', runtimeSettingsKey)
    .executeTakeFirst()
  return { ...row?.value }
}

/** Returns the settings that operators have changed, and locks them until the end of the transaction. */
export async function lockOwnSettings(tx: Tx): Promise<RuntimeOverrides> {
  await tx
    .insertInto('settings')
    .values({ key: runtimeSettingsKey, value: '{}' })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await tx
    .selectFrom('settings')
    .select('value')
    .where('key', '=', runtimeSettingsKey)
    .forUpdate()
    .executeTakeFirst()
  return { ...row?.value }
}

export async function updateOwnSettings(tx: Tx, own: RuntimeOverrides): Promise<void> {
  const value = JSON.stringify(own)
  await tx.updateTable('settings').set({ value }).where('key', '=', runtimeSettingsKey).execute()
}
