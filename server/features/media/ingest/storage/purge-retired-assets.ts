import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import * as queries from '#server/features/media/ingest/queries.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/** Links live four hours at most (security.md, "Media"); an hour more for clocks and long requests. */
const keptMs = 5 * 3_600_000

/** Deletes the files and rows of assets that were replaced so long ago that no link to them is alive. @returns how many */
export async function purgeRetiredAssets(
  { db, storage }: Pick<IngestContext, 'db' | 'storage'>,
  now: Date,
): Promise<number> {
  if (await queries.backupRuns(db)) return 0
  const retired = await queries.selectRetired(db, new Date(now.getTime() - keptMs))
  for (const asset of retired) {
    if (asset.folder !== null) {
      await storage.remove(assetFiles.media(asset.folder))
      await storage.remove(assetFiles.public(asset.folder))
    }
    for (const { lang } of asset.captions) await storage.remove(assetFiles.originalCaption(asset.id, lang))
    if (asset.original_path !== null) await storage.remove(asset.original_path)
    await queries.deleteAsset(db, asset.id)
  }
  return retired.length
}
