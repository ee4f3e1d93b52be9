import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import { forgetIncomingFiles, selectKnownAssets } from './file-queries.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/** A file is in its place a moment before its asset is committed; after this long there will be none. */
const unclaimedMs = 24 * 3_600_000

/**
 * Deletes the originals that came in and belong to no asset: whoever brought them died before saying so. What they had not
 * finished bringing is given up. @returns how many were deleted
 */
export async function purgeOrphanedOriginals(
  { db, storage }: Pick<IngestContext, 'db' | 'storage'>,
  now: Date,
): Promise<number> {
  const before = new Date(now.getTime() - unclaimedMs)
  await forgetIncomingFiles(db, before)
  const old: string[] = []
  for await (const { key, writtenAt } of storage.list(assetFiles.originals))
    if (writtenAt <= before) old.push(key)
  const known = new Set(await selectKnownAssets(db, [...new Set(old.map(assetFiles.ownerOf))]))
  const orphaned = old.filter((key) => !known.has(assetFiles.ownerOf(key)))
  for (const original of orphaned) await storage.remove(original)
  await storage.sweepUnfinished(before)
  return orphaned.length
}
