import { purgeOrphanedFiles } from './orphaned-files.ts'
import { purgeOrphanedOriginals } from './purge-orphaned-originals.ts'
import { purgeRetiredAssets } from './purge-retired-assets.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/**
 * Deletes unused files from the storage.
 * @throws Error if the storage is another site's by now, of which nothing is deleted
 */
export async function purgeStorage(context: IngestContext): Promise<void> {
  if (!(await context.storage.isOwn()))
    throw new Error(
      'The bucket is another site’s: nothing of it is deleted. This site needs one of its own (S3_BUCKET).',
    )
  const now = context.clock.now()
  await purgeRetiredAssets(context, now)
  await purgeOrphanedFiles(context, now)
  await purgeOrphanedOriginals(context, now)
}
