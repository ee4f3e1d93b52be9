import { purgeOrphanedFiles } from './orphaned-files.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import * as queries from '#server/features/media/ingest/asset-queries.ts'
import { deleteIncomingFiles, selectKnownAssets } from './file-queries.ts'

/**
 * Deletes unused files from the storage.
 * @throws Error if the storage now belongs to another site; then no file is deleted
 */
export async function purgeStorage(context: IngestContext): Promise<void> {
  if (!(await context.storage.claimOwnership()))
    throw new Error(
      'The bucket belongs to another site, so nothing was deleted from it. This site needs a bucket of its own (S3_BUCKET).',
    )
  await purgeDeletedAssets(context, context.clock.now())
  // Files, uploads and their records have real times, but the sandbox may move the site's clock forward. By that clock,
  // originals and uploads in progress would look old and be deleted.
  const realNow = new Date()
  await purgeOrphanedFiles(context, realNow)
  await purgeOrphanedOriginals(context, realNow)
}

/**
 * Time after which a replaced asset is deleted. Links are valid for four hours at most. An hour is added for clock skew
 * and long requests.
 */
const deletedAssetRetentionMs = 5 * 3_600_000

/**
 * Deletes the files and rows of assets that were replaced so long ago that no link to them is valid.
 * @returns how many assets were deleted
 */
export async function purgeDeletedAssets(
  { db, storage }: Pick<IngestContext, 'db' | 'storage'>,
  now: Date,
): Promise<number> {
  if (await queries.isBackupRunning(db)) return 0
  const deleted = await queries.selectDeletedAssets(db, new Date(now.getTime() - deletedAssetRetentionMs))
  for (const asset of deleted) {
    if (asset.folder !== null) {
      await storage.remove(assetFiles.media(asset.folder))
      await storage.remove(assetFiles.public(asset.folder))
    }
    for (const { lang } of asset.captions) await storage.remove(assetFiles.originalCaption(asset.id, lang))
    if (asset.original_path !== null) await storage.remove(asset.original_path)
    await queries.deleteAsset(db, asset.id)
  }
  return deleted.length
}

/**
 * Time after which an original without an asset is orphaned. An original is stored just before its asset is committed.
 */
const unclaimedMs = 24 * 3_600_000

/**
 * Deletes originals without an asset, which remain if a process dies before the commit. Also aborts unfinished uploads.
 * @param now the real time
 * @returns how many originals were deleted
 */
export async function purgeOrphanedOriginals(
  { db, storage }: Pick<IngestContext, 'db' | 'storage'>,
  now: Date,
): Promise<number> {
  const before = new Date(now.getTime() - unclaimedMs)
  await deleteIncomingFiles(db, before)
  const old: string[] = []
  for await (const { key, modifiedAt } of storage.list(assetFiles.originals))
    if (modifiedAt <= before) old.push(key)
  const known = new Set(await selectKnownAssets(db, [...new Set(old.map(assetFiles.assetIdOf))]))
  const orphaned = old.filter((key) => !known.has(assetFiles.assetIdOf(key)))
  for (const original of orphaned) await storage.remove(original)
  await storage.deleteUnfinishedUploads(before)
  return orphaned.length
}
