import { Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx, Db } from '#server/tables.ts'
import * as queries from './admin-queries.ts'
import type { AdminVideoRecord } from './admin-queries.ts'

/*
 * State machine of a video: draft → scheduled → published ⇄ archived. One function per transition; each refuses a video in another
 * state. A scheduled video that was never visible can become a draft again.
 */

/** Number of a video's episodes that play or will play, and of those that play now. */
export interface EpisodeCounts {
  count: number
  ready: number
}

/**
 * → published. A video without a playable episode is scheduled, and waits for the first one.
 * @throws Refusal editConflict; noEpisodes if the video has no episode
 */
export async function publishNow(
  tx: Tx,
  { id, state, released_at }: AdminVideoRecord,
  { count, ready }: EpisodeCounts,
  now: Date,
): Promise<void> {
  if (state === 'published') throw new Refusal('editConflict')
  // Buyers can still watch it; its release date stays.
  if (state === 'archived')
    return queries.updateVideoState(tx, id, { state: 'published', released_at: released_at ?? now })
  if (count === 0) throw new Refusal('noEpisodes')
  const waitsForEpisode = ready === 0
  return queries.updateVideoState(
    tx,
    id,
    waitsForEpisode ? { state: 'scheduled', released_at: null } : { state: 'published', released_at: now },
  )
}

/**
 * draft → scheduled, for a given time; an existing time is changed.
 * @throws Refusal editConflict, timeInPast
 */
export async function schedule(tx: Tx, { id, state }: AdminVideoRecord, at: Date, now: Date): Promise<void> {
  if (state !== 'draft' && state !== 'scheduled') throw new Refusal('editConflict')
  if (at <= now) throw new Refusal('timeInPast', { field: 'at' })
  await queries.updateVideoState(tx, id, { state: 'scheduled', released_at: at })
}

/** scheduled → draft. @throws Refusal editConflict */
export async function unschedule(tx: Tx, { id, state }: AdminVideoRecord): Promise<void> {
  if (state !== 'scheduled') throw new Refusal('editConflict')
  await queries.updateVideoState(tx, id, { state: 'draft', released_at: null })
}

/** published → archived. @throws Refusal editConflict */
export async function archive(tx: Tx, { id, state }: AdminVideoRecord): Promise<void> {
  if (state !== 'published') throw new Refusal('editConflict')
  await queries.updateVideoState(tx, id, { state: 'archived' })
}

/**
 * scheduled → published, for all videos that are due and have an episode. Each has a transaction of its own: publishing locks a
 * video before its tags, and the tags of one must not be locked before the next video.
 */
export async function publishScheduledVideos(db: Db, now: Date): Promise<void> {
  for (const id of await queries.selectDueVideos(db, now))
    await inTransaction(db, (tx) => queries.publishDueVideo(tx, id, now))
}
