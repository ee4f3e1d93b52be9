import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import * as files from './file-queries.ts'

type OrphanedFilesContext = Pick<IngestContext, 'db' | 'storage' | 'clock' | 'log'>

/** Age at which a recorded file is considered orphaned if no row refers to it. Every upload takes less time. */
const orphanAgeMs = 24 * 3_600_000

/**
 * Deletes those of the given files that are still recorded as orphaned, and their records. If the storage or the
 * database is unreachable, the records remain for the next cleanup.
 */
export async function deleteOrphaned(
  { db, storage, log }: OrphanedFilesContext,
  keys: readonly string[],
): Promise<void> {
  try {
    // The response to a commit may have been lost. That commit has removed the records of its files, so these files are
    // not deleted.
    const stillOrphaned = await inTransaction(db, (tx) => files.lockOrphaned(tx, keys))
    for (const key of stillOrphaned) await storage.remove(key)
    await files.removeOrphaned(db, stillOrphaned)
  } catch (error) {
    log.warn({ err: error, keys }, 'Unused files could not be deleted; a later cleanup deletes them')
  }
}

/**
 * Deletes orphaned files, one page of records after the other.
 * @param now the real time
 * @returns how many files and folders were deleted
 */
export async function purgeOrphanedFiles(
  { db, storage }: Pick<OrphanedFilesContext, 'db' | 'storage'>,
  now: Date,
  pageSize = 1000,
): Promise<number> {
  const before = new Date(now.getTime() - orphanAgeMs)
  for (let deleted = 0; ;) {
    const recorded = await files.selectOrphaned(db, before, pageSize)
    for (const { key, named } of recorded) {
      if (!named) await storage.remove(key)
      await files.removeOrphaned(db, [key])
    }
    deleted += recorded.filter(({ named }) => !named).length
    if (recorded.length < pageSize) return deleted
  }
}
