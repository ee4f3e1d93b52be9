import { assetFiles } from './asset-files.ts'
import { selectKnownAssets } from './queries.ts'
import type { IngestContext } from './work-queue.ts'

/** A file is in its place a moment before its asset is committed; after this long there will be none. */
const unclaimedMs = 24 * 3_600_000

/** Deletes the originals that came in and belong to no asset: whoever brought them died before saying so. @returns how many */
export async function sweepOrphanedOriginals(
  { db, storage }: Pick<IngestContext, 'db' | 'storage'>,
  now: Date,
): Promise<number> {
  const originals = await storage.list(assetFiles.originals)
  const known = new Set(await selectKnownAssets(db, [...new Set(originals.map(assetFiles.ownerOf))]))
  let swept = 0
  for (const original of originals.filter((key) => !known.has(assetFiles.ownerOf(key)))) {
    if (now.getTime() - (await storage.writtenAt(original)).getTime() < unclaimedMs) continue
    await storage.remove(original)
    swept++
  }
  return swept
}
