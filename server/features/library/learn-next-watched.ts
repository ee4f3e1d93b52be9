import { recordWatchedNext } from '#server/features/catalog/catalog.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Viewer } from '#server/platform/http/route.ts'
import type { Db } from '#server/tables.ts'
import { anyStarted, selectRecentlyWatched, takeStarted } from './history/continue-watching-queries.ts'

const batch = 500
/** What is watched is taken to follow from so many videos before it. */
const before = 3
/** A run looks at no more than so many, so that a crowd is worked off a run at a time. */
const mostBatches = 100

/** Learns from what people began to watch since: which video came after which. What fails is learned the next time. */
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

/** The videos that a viewer watched lately, newest first. */
export function recentlyWatched(db: Db, viewer: Viewer): Promise<string[]> {
  return selectRecentlyWatched(db, viewer.userId, 50)
}

export function recommendationJobs({ db }: { db: Db }) {
  const run = (signal: AbortSignal) => learnNextWatched(db, signal)
  return [{ name: 'learn-next-watched', everySeconds: 60, dueWhen: anyStarted, run }]
}
