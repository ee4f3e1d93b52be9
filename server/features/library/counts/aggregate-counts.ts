import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
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
import { deleteTombstones } from '#server/features/library/history/history-queries.ts'

const batchSize = 5000

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

/** Runs `work` in batches, each in its own transaction, until a batch is not full. */
async function runInBatches(db: Db, work: (tx: Tx, limit: number) => Promise<number>): Promise<void> {
  while ((await inTransaction(db, (tx) => work(tx, batchSize))) === batchSize);
}

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

/** Deletes expired rows: counted plays, and tombstones of removed history entries. */
export async function purgeLibrary(db: Db, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * dayMs)
  await runInBatches(db, (tx, limit) => deletePlays(tx, before(playRetentionDays), limit))
  await runInBatches(db, (tx, limit) => deleteTombstones(tx, before(tombstoneRetentionDays), limit))
}

interface LibraryJobsContext {
  db: Db
  clock: Clock
  playCounts: { hasChanges: boolean }
}

/** Returns the scheduled jobs of this feature. */
export function libraryJobs({ db, clock, playCounts }: LibraryJobsContext) {
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
    { name: 'purge-history', everySeconds: 600, run: () => purgeLibrary(db, clock.now()) },
  ]
}
