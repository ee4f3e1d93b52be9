import { sql } from 'kysely'
import type { Caption } from '#server/features/media/tables.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Selects an asset's captions, and the folder of its media files (null until the asset is ready). */
export function selectCaptions(db: Db, id: string) {
  return db.selectFrom('assets').select(['captions', 'folder']).where('id', '=', id).executeTakeFirstOrThrow()
}

/** Selects an asset's captions and locks it for the transaction. */
export function lockCaptions(tx: Tx, id: string) {
  return tx
    .selectFrom('assets')
    .select(['captions', 'folder'])
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

export async function selectEpisodeId(tx: Tx, videoId: string, number: number): Promise<string | undefined> {
  const row = await tx
    .selectFrom('episodes')
    .select('id')
    .where('video_id', '=', videoId)
    .where('number', '=', number)
    .executeTakeFirst()
  return row?.id
}

/**
 * Selects the captions of an episode's next asset, or of its current asset if there is no next one. Returns none if the
 * episode does not exist.
 */
export async function selectCaptionsOf(db: Db, videoId: string, number: number) {
  const row = await db
    .selectFrom('episodes')
    .innerJoin('assets', (join) =>
      join.on(sql<boolean>`assets.id = coalesce(episodes.next_asset_id, episodes.asset_id)`),
    )
    .select(['assets.id as assetId', 'assets.captions'])
    .where('video_id', '=', videoId)
    .where('number', '=', number)
    .executeTakeFirst()
  return row ?? { assetId: '', captions: [] }
}
