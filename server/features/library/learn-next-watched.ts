import { recordWatchedNext } from '#server/features/catalog/catalog.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { anyStarted, selectRecentlyWatched, takeStarted } from './history/continue-watching-queries.ts'

const batch = 500
/** Number of previously watched videos that count as predecessors of a new one. */
const before = 3
/** Maximum number of batches in a run; a backlog is processed over several runs. */
const mostBatches = 100

/** Learns which video viewers start after which, from videos started since the last run. Failed batches are repeated in the next run. */
export async function learnNextWatched(db: Db, signal: AbortSignal): Promise<void> {
  for (let done = 0; done < mostBatches && !signal.aborted; done++) {
    const taken = await inTransaction(db, async (tx) => {
      const begun = await takeStarted(tx, { most: batch, before })
      const pairs = begun.flatMap(({ videoId, earlier }) =>
        earlier.map((id) => ({ videoId: id, nextId: videoId })),
      )
      await recordWatchedNext(tx, pairs)
      return begun.length
    })
    if (taken < batch) return
  }
}

/** Returns the videos that a viewer watched recently, newest first. */
export function recentlyWatched(db: Db, viewer: Viewer): Promise<string[]> {
  return selectRecentlyWatched(db, viewer.userId, 50)
}

export function recommendationJobs({ db }: { db: Db }) {
  const run = (signal: AbortSignal) => learnNextWatched(db, signal)
  return [{ name: 'learn-next-watched', everySeconds: 60, dueWhen: anyStarted, run }]
}
