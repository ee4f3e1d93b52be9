import type { Db, Tx } from '#server/tables.ts'

export interface UserChange {
  display_name?: string
  language?: string
}

/** Makes the row, or leaves the one that is there. */
export async function insertUser(
  tx: Tx,
  user: { id: string; language: string; referral_code: string },
): Promise<void> {
  await tx
    .insertInto('users')
    .values({ ...user, email: null, display_name: null })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

export function selectUser(db: Db, id: string) {
  return db
    .selectFrom('users')
    .select(['email', 'display_name', 'language', 'referral_code'])
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function updateUser(tx: Tx, id: string, { display_name, language }: UserChange): Promise<void> {
  if (display_name === undefined && language === undefined) return
  await tx.updateTable('users').set({ display_name, language }).where('id', '=', id).execute()
}
