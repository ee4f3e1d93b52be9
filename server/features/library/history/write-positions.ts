import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { AdClickIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { HistoryRow } from './history-queries.ts'
import {
  findUnwrittenPositions,
  lockOwners,
  insertPlays,
  recordEpisodeViews,
  updatePositions,
  upsertUnlocks,
} from './playback-queries.ts'

/**
 * A reported position that may count as a play (one per viewer, episode and half hour) or that finishes the episode.
 */
export interface WatchRecord {
  user_id: string
  video_id: string
  episode_id: string
  half_hour: Date
  /**
   * False if the buffer has already seen this viewer and episode in this half hour, so that it cannot be a new play.
   */
  mayBePlay: boolean
  finished: boolean
  source: 'free' | 'purchase' | 'subscription'
  at: Date
  ids: AdClickIds
}

/** Counts plays by traffic source. The tracking feature implements it; server/context.ts connects the two. */
export type CountPlays = (
  tx: Tx,
  plays: readonly { videoId: string; ids: AdClickIds; at: Date }[],
) => Promise<void>

export interface PositionBatch {
  places: readonly HistoryRow[]
  watched: readonly WatchRecord[]
}

/**
 * Writes a batch in one transaction. Writing it again changes nothing.
 * @returns the rows that could not be written now, because their account is being merged or deleted
 */
export async function writePositionBatch(
  db: Db,
  batch: PositionBatch,
  countPlays: CountPlays,
): Promise<PositionBatch> {
  const { places, watched } = batch
  if (watched.length === 0) return { places: await writePositions(db, places), watched }
  return inTransaction(db, (tx) => writePositionBatchInTransaction(tx, batch, countPlays))
}

/** Writes a batch in an open transaction. */
export async function writePositionBatchInTransaction(
  tx: Tx,
  { places, watched }: PositionBatch,
  countPlays: CountPlays,
): Promise<PositionBatch> {
  return {
    places: await writePositions(tx, places),
    watched: watched.length > 0 ? await writeWatchRecords(tx, watched, countPlays) : watched,
  }
}

async function writePositions(db: Db, places: readonly HistoryRow[]): Promise<HistoryRow[]> {
  if (places.length === 0) return []
  const written = await updatePositions(db, places)
  return written.length === places.length ? [] : findUnwrittenPositions(db, places)
}

async function writeWatchRecords(
  tx: Tx,
  watched: readonly WatchRecord[],
  countPlays: CountPlays,
): Promise<WatchRecord[]> {
  const { owners, deletedUserIds } = await lockOwners(tx, [...new Set(watched.map(({ user_id }) => user_id))])
  const owned = watched.flatMap((each) => {
    const user_id = owners.get(each.user_id)
    return user_id === undefined ? [] : [{ ...each, user_id }]
  })
  const newPlays = await insertFirstPlays(tx, owned)
  const views = owned.filter((each) => each.finished || newPlays.includes(each))
  if (views.length > 0) await recordEpisodeViews(tx, views)
  const subscriptionPlays = newPlays.filter(({ source }) => source === 'subscription')
  if (subscriptionPlays.length > 0)
    await upsertUnlocks(
      tx,
      subscriptionPlays.map((each) => ({ ...each, unlocked_at: each.at })),
    )
  if (newPlays.length > 0)
    await countPlays(
      tx,
      newPlays.map(({ video_id: videoId, ids, at }) => ({ videoId, ids, at })),
    )
  return watched.filter(({ user_id }) => !owners.has(user_id) && !deletedUserIds.has(user_id))
}

const playKey = ({
  user_id,
  episode_id,
  half_hour,
}: Pick<WatchRecord, 'user_id' | 'episode_id' | 'half_hour'>) =>
  `${user_id} ${episode_id} ${half_hour.getTime()}`

/** Inserts plays and returns those that count, one per viewer, episode and half hour. */
async function insertFirstPlays(tx: Tx, owned: readonly WatchRecord[]): Promise<WatchRecord[]> {
  const plays = new Map(owned.filter(({ mayBePlay }) => mayBePlay).map((each) => [playKey(each), each]))
  if (plays.size === 0) return []
  const first = await insertPlays(tx, [...plays.values()])
  return first.flatMap((row) => plays.get(playKey(row)) ?? [])
}
