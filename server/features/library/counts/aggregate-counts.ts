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
import { anyViewings, aggregateViewingBatch } from '#server/features/library/viewing-queries.ts'
import { deleteMarks } from '#server/features/library/history/history-queries.ts'

const batch = 5000

/** A counted play is only needed for the rest of its half hour; some more is kept for clocks that differ and for looking back. */
const playsKeptDays = 2
/** How long a save may be under way (a phone without a network) and still not bring back what was removed. */
const marksKeptDays = 30

/** Repeats work on a batch, each in its own transaction, until a batch was not full. */
async function untilDone(db: Db, work: (tx: Tx, most: number) => Promise<number>): Promise<void> {
  while ((await inTransaction(db, (tx) => work(tx, batch))) === batch);
}

/** Counts the plays that were not counted yet. Several processes may do it at once. */
export function aggregatePlays(db: Db): Promise<void> {
  return untilDone(db, aggregatePlayBatch)
}

/** Counts the favorites that were added and removed since. Several processes may do it at once. */
export function aggregateFavorites(db: Db): Promise<void> {
  return untilDone(db, aggregateFavoriteBatch)
}

/** Counts the viewers that episodes got since. Several processes may do it at once. */
export function aggregateViewings({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  return untilDone(db, (tx, most) => aggregateViewingBatch(tx, clock.now(), most))
}

/** Deletes what is no longer needed: counted plays, and tombstones of removed history. */
export async function purgeLibrary(db: Db, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * dayMs)
  await untilDone(db, (tx, most) => deletePlays(tx, before(playsKeptDays), most))
  await untilDone(db, (tx, most) => deleteMarks(tx, before(marksKeptDays), most))
}

/** The scheduled jobs of this feature. */
export function libraryJobs({ db, clock }: { db: Db; clock: Clock }) {
  return [
    { name: 'aggregate-plays', everySeconds: 10, dueWhen: anyPlays, run: () => aggregatePlays(db) },
    {
      name: 'aggregate-favorites',
      everySeconds: 10,
      dueWhen: anyFavorites,
      run: () => aggregateFavorites(db),
    },
    {
      name: 'aggregate-episode-viewers',
      everySeconds: 20,
      dueWhen: anyViewings,
      run: () => aggregateViewings({ db, clock }),
    },
    { name: 'purge-history', everySeconds: 600, run: () => purgeLibrary(db, clock.now()) },
  ]
}
