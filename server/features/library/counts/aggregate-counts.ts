import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { runInBatches, type BatchOptions } from '#server/platform/database/run-in-batches.ts'
import type { Job } from '#server/platform/jobs/jobs.ts'
import type { Db } from '#server/tables.ts'
import { dayMs, type Clock } from '#server/platform/clock.ts'
import {
  anyFavorites,
  anyPlays,
  deletePlays,
  aggregateFavoriteBatch,
  aggregatePlayBatch,
} from './count-queries.ts'
import {
  hasEpisodeViewerChanges,
  aggregateEpisodeViewerBatch,
} from '#server/features/library/episode-view-queries.ts'
import { deleteTombstones, type TombstoneKey } from '#server/features/library/history/history-queries.ts'

/**
 * Retention of counted plays, in days. For at most half an hour, a play prevents a repeated play from being counted.
 * The remaining time allows for clock skew and diagnosis.
 */
const playRetentionDays = 2
/**
 * Days for which the tombstone of a removed history entry blocks delayed saves, such as saves of a phone without a
 * network.
 */
const tombstoneRetentionDays = 30

/**
 * Adds uncounted plays and the changes in `play_count_changes` to the play counts of videos. Several processes may call
 * it concurrently.
 */
export function aggregatePlays(db: Db): Promise<void> {
  return runInBatches(db, aggregatePlayBatch)
}

/** Adds pending changes of favorites to the favorite counts of videos. Several processes may call it concurrently. */
export function aggregateFavorites(db: Db): Promise<void> {
  return runInBatches(db, aggregateFavoriteBatch)
}

/**
 * Adds pending changes of episode viewers to the viewer counts of episodes. Several processes may call it concurrently.
 */
export function aggregateEpisodeViewers({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  return runInBatches(db, (tx, limit) => aggregateEpisodeViewerBatch(tx, clock.now(), limit))
}

/** Deletes counted plays that have expired. */
export function purgePlays(db: Db, now: Date): Promise<void> {
  const before = new Date(now.getTime() - playRetentionDays * dayMs)
  return runInBatches(db, (tx, limit) => deletePlays(tx, before, limit))
}

/** Deletes tombstones that have expired. Reads all tombstones once, because no index has their time. */
export async function purgeTombstones(
  db: Db,
  now: Date,
  { signal, limit = 5000 }: BatchOptions = {},
): Promise<void> {
  const before = new Date(now.getTime() - tombstoneRetentionDays * dayMs)
  let after: TombstoneKey | undefined
  do {
    after = await inTransaction(db, (tx) => deleteTombstones(tx, { before, after, limit }))
  } while (after && !signal?.aborted)
}

interface LibraryJobsContext {
  db: Db
  clock: Clock
  playCounts: { hasChanges: boolean }
}

/** Returns the scheduled jobs of this feature. */
export function libraryJobs({ db, clock, playCounts }: LibraryJobsContext): Job[] {
  return [
    {
      name: 'aggregate-plays',
      everySeconds: 30,
      dueWhen: anyPlays(playCounts),
      run: () => aggregatePlays(db),
    },
    {
      name: 'aggregate-favorites',
      everySeconds: 10,
      dueWhen: anyFavorites,
      run: () => aggregateFavorites(db),
    },
    {
      name: 'aggregate-episode-viewers',
      everySeconds: 30,
      dueWhen: hasEpisodeViewerChanges,
      run: () => aggregateEpisodeViewers({ db, clock }),
    },
    { name: 'purge-plays', everySeconds: 600, run: () => purgePlays(db, clock.now()) },
    {
      name: 'purge-history',
      everySeconds: 86_400,
      run: (signal) => purgeTombstones(db, clock.now(), { signal }),
    },
  ]
}
