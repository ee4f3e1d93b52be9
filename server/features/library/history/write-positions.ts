import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { AdClickIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import { upsertHistories, type HistoryRow } from './history-queries.ts'
import {
  findUnwrittenPositions,
  lockOwners,
  insertPlays,
  recordEpisodeViews,
  updatePositions,
  upsertUnlocks,
  type InsertRace,
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
   * False if the buffer has already received a position of this viewer and episode in this half hour. Then this
   * position cannot be a new play.
   */
  mayBePlay: boolean
  finished: boolean
  source: 'free' | 'purchase' | 'subscription'
  at: Date
  ids: AdClickIds
}

/**
 * A function that counts plays by traffic source. The tracking feature implements it; server/context.ts connects the
 * two.
 */
export type CountPlays = (
  tx: Tx,
  plays: readonly { videoId: string; ids: AdClickIds; at: Date }[],
) => Promise<void>

export interface PendingPosition extends HistoryRow {
  /** True if the viewer had not started the video. Then a row may have to be inserted. */
  isNew: boolean
}

export interface PositionBatch {
  places: readonly PendingPosition[]
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
  return inTransaction(db, (tx) => writePositionBatchInTransaction(tx, batch, countPlays))
}

/** Writes a batch in an open transaction. */
export async function writePositionBatchInTransaction(
  tx: Tx,
  { places, watched }: PositionBatch,
  countPlays: CountPlays,
  race?: InsertRace,
): Promise<PositionBatch> {
  const started = places.filter(({ isNew }) => isNew)
  const further = places.filter(({ isNew }) => !isNew)
  const owners = await lockOwnersOf(tx, [...started, ...watched])
  const waiting = await insertEntries(tx, started, owners)
  return {
    places: [...waiting, ...(await updateEntries(tx, further))],
    watched: await writeWatchRecords(tx, watched, owners, { countPlays, race }),
  }
}

type Owners = Awaited<ReturnType<typeof lockOwners>>

async function lockOwnersOf(tx: Tx, rows: readonly { user_id: string }[]): Promise<Owners> {
  const userIds = [...new Set(rows.map(({ user_id }) => user_id))]
  return userIds.length > 0 ? lockOwners(tx, userIds) : { owners: new Map(), deletedUserIds: new Set() }
}

/** Returns the rows with their accounts. Omits those whose account is deleted, being merged or being deleted. */
function assignOwners<Row extends { user_id: string }>(rows: readonly Row[], { owners }: Owners): Row[] {
  return rows.flatMap((row) => {
    const user_id = owners.get(row.user_id)
    return user_id === undefined ? [] : [{ ...row, user_id }]
  })
}

/** Returns the rows whose account is being merged or deleted. */
function selectWaiting<Row extends { user_id: string }>(
  rows: readonly Row[],
  { owners, deletedUserIds }: Owners,
): Row[] {
  return rows.filter(({ user_id }) => !owners.has(user_id) && !deletedUserIds.has(user_id))
}

async function insertEntries(
  tx: Tx,
  started: readonly PendingPosition[],
  owners: Owners,
): Promise<PendingPosition[]> {
  const owned = assignOwners(started, owners)
  if (owned.length > 0) await upsertHistories(tx, owned)
  return selectWaiting(started, owners)
}

async function updateEntries(tx: Tx, places: readonly PendingPosition[]): Promise<PendingPosition[]> {
  if (places.length === 0) return []
  const written = await updatePositions(tx, places)
  return written.length === places.length ? [] : findUnwrittenPositions(tx, places)
}

async function writeWatchRecords(
  tx: Tx,
  watched: readonly WatchRecord[],
  owners: Owners,
  { countPlays, race }: { countPlays: CountPlays; race: InsertRace | undefined },
): Promise<WatchRecord[]> {
  const owned = assignOwners(watched, owners)
  const newPlays = await insertFirstPlays(tx, owned, race)
  const views = owned.filter((each) => each.finished || newPlays.includes(each))
  if (views.length > 0) await recordEpisodeViews(tx, views, race)
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
  return selectWaiting(watched, owners)
}

const playKey = ({
  user_id,
  episode_id,
  half_hour,
}: Pick<WatchRecord, 'user_id' | 'episode_id' | 'half_hour'>) =>
  `${user_id} ${episode_id} ${half_hour.getTime()}`

/** Inserts plays and returns those that count, one per viewer, episode and half hour. */
async function insertFirstPlays(
  tx: Tx,
  owned: readonly WatchRecord[],
  race: InsertRace | undefined,
): Promise<WatchRecord[]> {
  const plays = new Map(owned.filter(({ mayBePlay }) => mayBePlay).map((each) => [playKey(each), each]))
  if (plays.size === 0) return []
  const first = await insertPlays(tx, [...plays.values()], race)
  return first.flatMap((row) => plays.get(playKey(row)) ?? [])
}
