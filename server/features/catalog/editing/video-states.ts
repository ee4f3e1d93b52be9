import { Refusal } from '#contract/errors.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx, Db } from '#server/tables.ts'
import * as queries from './admin-queries.ts'
import type { AdminVideoRecord } from './admin-queries.ts'

/*
 * State machine of a video: draft → scheduled → published ⇄ archived. A draft can also be published directly. A
 * scheduled video can become a draft again. Each transition has one function, which refuses a video in another state.
 */

/**
 * Number of a video's episodes. `count` includes those that are not converted yet; `ready` is the number of playable
 * ones.
 */
export interface EpisodeCounts {
  count: number
  ready: number
}

/**
 * Publishes a draft, scheduled or archived video. A draft or scheduled video without a playable episode is scheduled
 * without a date. It is then published with its first playable episode.
 * @throws Refusal editConflict; noEpisodes if the video has no episode
 */
export async function publishNow(
  tx: Tx,
  { id, state, released_at }: AdminVideoRecord,
  { count, ready }: EpisodeCounts,
  now: Date,
): Promise<void> {
  if (state === 'published') throw new Refusal('editConflict')
  // Does not check the episodes: archiving removed none, because buyers may still watch them. The release date does not
  // change.
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
 * Schedules a draft for a given release time. If the video is already scheduled, changes the time.
 * @throws Refusal editConflict, timeInPast
 */
export async function schedule(tx: Tx, { id, state }: AdminVideoRecord, at: Date, now: Date): Promise<void> {
  if (state !== 'draft' && state !== 'scheduled') throw new Refusal('editConflict')
  if (at <= now) throw new Refusal('timeInPast', { field: 'at' })
  await queries.updateVideoState(tx, id, { state: 'scheduled', released_at: at })
}

/**
 * Turns a scheduled video into a draft.
 * @throws Refusal editConflict
 */
export async function unschedule(tx: Tx, { id, state }: AdminVideoRecord): Promise<void> {
  if (state !== 'scheduled') throw new Refusal('editConflict')
  await queries.updateVideoState(tx, id, { state: 'draft', released_at: null })
}

/**
 * Archives a published video.
 * @throws Refusal editConflict
 */
export async function archive(tx: Tx, { id, state }: AdminVideoRecord): Promise<void> {
  if (state !== 'published') throw new Refusal('editConflict')
  await queries.updateVideoState(tx, id, { state: 'archived' })
}

/**
 * Publishes all scheduled videos that are due and have an episode. Uses one transaction per video. A shared transaction
 * would lock the tags of the first video before the second video, against the lock order (videos, then tags).
 */
export async function publishScheduledVideos(db: Db, now: Date): Promise<void> {
  for (const id of await queries.selectDueVideos(db, now))
    await inTransaction(db, (tx) => queries.publishDueVideo(tx, id, now))
}
