import { recordWatchedNext } from '#server/features/catalog/catalog.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import {
  anyStartedVideos,
  selectRecentlyWatched,
  dequeueStartedVideos,
} from './history/started-video-queries.ts'

const batchSize = 500
/** Number of previously watched videos that count as predecessors of a new one. */
const maxPredecessors = 3
/** Maximum number of batches in a run; a backlog is processed over several runs. */
const maxBatches = 100

/**
 * Records pairs of videos that a viewer watched one after the other. Processes the videos that were started since the
 * last run. A failed batch is repeated in the next run.
 */
export async function updateNextWatched(db: Db, signal: AbortSignal): Promise<void> {
  for (let done = 0; done < maxBatches && !signal.aborted; done++) {
    const processed = await inTransaction(db, async (tx) => {
      const started = await dequeueStartedVideos(tx, { limit: batchSize, before: maxPredecessors })
      const pairs = started.flatMap(({ videoId, earlier }) =>
        earlier.map((id) => ({ videoId: id, nextId: videoId })),
      )
      await recordWatchedNext(tx, pairs)
      return started.length
    })
    if (processed < batchSize) return
  }
}

/** Returns the videos that a viewer watched recently, newest first. */
export function recentlyWatched(db: Db, viewer: Viewer): Promise<string[]> {
  return selectRecentlyWatched(db, viewer.userId, 50)
}

export function recommendationJobs({ db }: { db: Db }) {
  const run = (signal: AbortSignal) => updateNextWatched(db, signal)
  return [{ name: 'update-next-watched', everySeconds: 60, dueWhen: anyStartedVideos, run }]
}
