import type { Db } from '#server/tables.ts'
import { dayMs, type Clock } from '#server/platform/clock.ts'
import { deletePlays, foldFavoriteBatch, foldPlayBatch } from './count-queries.ts'
import { foldViewingBatch } from './viewing-queries.ts'
import { deleteMarks } from './history-queries.ts'

const batch = 5000

/** A counted play is only needed for the rest of its half hour; some more is kept for clocks that differ and for looking back. */
const playsKeptDays = 2
/** How long a save may be under way (a phone without a network) and still not bring back what was removed. */
const marksKeptDays = 30

/** Repeats work on a batch until one was not full. */
async function untilDone(work: (most: number) => Promise<number>): Promise<void> {
  while ((await work(batch)) === batch);
}

/** Counts the plays that came since. Several processes may do it at once. */
export function foldPlays(db: Db): Promise<void> {
  return untilDone((most) => foldPlayBatch(db, most))
}

/** Counts the favorites that came and went since. Several processes may do it at once. */
export function foldFavorites(db: Db): Promise<void> {
  return untilDone((most) => foldFavoriteBatch(db, most))
}

/** Counts the viewers that episodes got since. Several processes may do it at once. */
export function foldViewings({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  return untilDone((most) => foldViewingBatch(db, clock.now(), most))
}

/** Deletes what has done its service: counted plays, and marks of removals. */
export async function sweepLibrary(db: Db, now: Date): Promise<void> {
  const before = (days: number) => new Date(now.getTime() - days * dayMs)
  await untilDone((most) => deletePlays(db, before(playsKeptDays), most))
  await untilDone((most) => deleteMarks(db, before(marksKeptDays), most))
}

/** What has to come round. */
export function libraryJobs({ db, clock }: { db: Db; clock: Clock }) {
  return [
    { name: 'fold-plays', everySeconds: 10, run: () => foldPlays(db) },
    { name: 'fold-favorites', everySeconds: 10, run: () => foldFavorites(db) },
    { name: 'fold-viewings', everySeconds: 20, run: () => foldViewings({ db, clock }) },
    { name: 'sweep-library', everySeconds: 600, run: () => sweepLibrary(db, clock.now()) },
  ]
}
