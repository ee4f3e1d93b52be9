import { sweepLooseFiles } from './loose-files.ts'
import { sweepOrphanedOriginals } from './sweep-orphaned-originals.ts'
import { sweepRetiredAssets } from './sweep-retired-assets.ts'
import type { IngestContext } from './work-queue.ts'

/**
 * Deletes unused files from the storage.
 * @throws Error if the storage is another site's by now, of which nothing is deleted
 */
export async function sweepStorage(context: IngestContext): Promise<void> {
  if (!(await context.storage.isOwn()))
    throw new Error(
      'The bucket is another site’s: nothing of it is deleted. This site needs one of its own (S3_BUCKET).',
    )
  const now = context.clock.now()
  await sweepRetiredAssets(context, now)
  await sweepLooseFiles(context, now)
  await sweepOrphanedOriginals(context, now)
}
