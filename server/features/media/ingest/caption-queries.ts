import type { Caption } from '#server/features/media/tables.ts'
import type { Db, Tx } from '#server/tables.ts'

/** What an asset's captions are, and where they are played from, if they are. */
export function selectCaptions(db: Db, id: string) {
  return db.selectFrom('assets').select(['captions', 'place']).where('id', '=', id).executeTakeFirstOrThrow()
}

/** The same, and nobody changes it until the transaction ends. */
export function lockCaptions(tx: Tx, id: string) {
  return tx
    .selectFrom('assets')
    .select(['captions', 'place'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}

export async function updateCaptions(db: Db, id: string, captions: Caption[]): Promise<void> {
  await db
    .updateTable('assets')
    .set({ captions: JSON.stringify(captions) })
    .where('id', '=', id)
    .execute()
}
