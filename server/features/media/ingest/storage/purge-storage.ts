import { purgeOrphanedFiles } from './orphaned-files.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import type { Job } from '#server/platform/jobs/jobs.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import * as queries from '#server/features/media/ingest/asset-queries.ts'
import { deleteIncomingFiles, selectKnownAssets } from './file-queries.ts'

export type PurgeContext = Pick<IngestContext, 'db' | 'storage'>

/**
 * Deletes files that the database lists as unused.
 * @throws Error if the storage now belongs to another site; then no file is deleted
 */
export async function purgeStorage(context: PurgeContext & Pick<IngestContext, 'clock'>): Promise<void> {
  await assertOwned(context.storage)
  await purgeDeletedAssets(context, context.clock.now())
  // Files and their records have real times, but the sandbox may move the site's clock forward. By that clock, files
  // that are being stored would look old and be deleted.
  await purgeOrphanedFiles(context, new Date())
}

/**
 * Returns the scheduled job of this feature. It lists all originals, which takes hours for millions of them, so only
 * one process does so, once a day.
 */
export function mediaJobs(context: PurgeContext): Job[] {
  const run = async (signal: AbortSignal) => {
    await assertOwned(context.storage)
    // The real time, as in `purgeStorage`.
    await purgeOrphanedOriginals(context, new Date(), { signal })
  }
  return [{ name: 'purge-originals', everySeconds: 86_400, run }]
}

/** @throws Error if the storage belongs to another site */
async function assertOwned(storage: Storage): Promise<void> {
  if (!(await storage.claimOwnership()))
    throw new Error(
      'The bucket belongs to another site, so nothing was deleted from it. This site needs a bucket of its own (S3_BUCKET).',
    )
}

/** Number of assets, or of originals, that are read at once. */
const defaultPageSize = 1000

/**
 * Time after which a replaced asset is deleted. Links are valid for four hours at most. An hour is added for clock skew
 * and long requests.
 */
const deletedAssetRetentionMs = 5 * 3_600_000

/**
 * Deletes the files and rows of assets that were replaced so long ago that no link to them is valid. Stops before the
 * next page if a backup has started.
 * @returns how many assets were deleted
 */
export async function purgeDeletedAssets(
  { db, storage }: PurgeContext,
  now: Date,
  pageSize = defaultPageSize,
): Promise<number> {
  const before = new Date(now.getTime() - deletedAssetRetentionMs)
  for (let deletedCount = 0; ;) {
    if (await queries.isBackupRunning(db)) return deletedCount
    const page = await queries.selectDeletedAssets(db, before, pageSize)
    for (const asset of page) {
      await removeFilesOf(storage, asset)
      await queries.deleteAsset(db, asset.id)
    }
    deletedCount += page.length
    if (page.length < pageSize) return deletedCount
  }
}

type DeletedAsset = Awaited<ReturnType<typeof queries.selectDeletedAssets>>[number]

async function removeFilesOf(storage: Storage, asset: DeletedAsset): Promise<void> {
  if (asset.folder !== null) {
    await storage.remove(assetFiles.media(asset.folder))
    await storage.remove(assetFiles.public(asset.folder))
  }
  for (const { lang } of asset.captions) await storage.remove(assetFiles.originalCaption(asset.id, lang))
  if (asset.original_path !== null) await storage.remove(asset.original_path)
}

/**
 * Time after which an original without an asset is orphaned. An original is stored just before its asset is committed.
 */
const unclaimedMs = 24 * 3_600_000

/**
 * Deletes originals without an asset, which remain if a process dies before the commit. Also aborts unfinished uploads.
 * Reads the list of originals page by page, and stops after an abort.
 * @param now the real time
 * @returns how many originals were deleted
 */
export async function purgeOrphanedOriginals(
  { db, storage }: PurgeContext,
  now: Date,
  { signal, pageSize = defaultPageSize }: { signal?: AbortSignal; pageSize?: number } = {},
): Promise<number> {
  const before = new Date(now.getTime() - unclaimedMs)
  // Its error is thrown at the end, because a bucket may not permit to list uploads.
  const unfinishedUploads = storage.deleteUnfinishedUploads(before)
  unfinishedUploads.catch(() => {})
  await deleteIncomingFiles(db, before)
  let deletedCount = 0
  for await (const page of listOriginals(storage, before, pageSize)) {
    if (signal?.aborted) break
    const known = new Set(await selectKnownAssets(db, [...new Set(page.map(assetFiles.assetIdOf))]))
    const orphaned = page.filter((key) => !known.has(assetFiles.assetIdOf(key)))
    for (const original of orphaned) await storage.remove(original)
    deletedCount += orphaned.length
  }
  await unfinishedUploads
  return deletedCount
}

/** Lists the keys of the originals stored before the time `before`. */
async function* listOriginals(storage: Storage, before: Date, pageSize: number): AsyncGenerator<string[]> {
  let page: string[] = []
  for await (const { key, modifiedAt } of storage.list(assetFiles.originals)) {
    if (modifiedAt <= before) page.push(key)
    if (page.length < pageSize) continue
    yield page
    page = []
  }
  if (page.length > 0) yield page
}
