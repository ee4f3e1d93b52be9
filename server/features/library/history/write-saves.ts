import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { AdIds } from '#server/platform/http/route.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { HistoryRow } from './history-queries.ts'
import {
  findUnwritten,
  holdOwners,
  insertPlays,
  noteViewings,
  updatePlaces,
  upsertUnlocks,
} from './save-queries.ts'

/** A position that may count as a play of its half hour, or finishes the episode. */
export interface Watched {
  user_id: string
  video_id: string
  episode_id: string
  half_hour: Date
  /** Whether it may be the first of its half hour. */
  mayBePlay: boolean
  finished: boolean
  source: 'free' | 'purchase' | 'subscription'
  at: Date
  ids: AdIds
}

/** Counts plays by traffic source. The tracking feature implements it; server/context.ts connects the two. */
export type CountPlays = (
  tx: Tx,
  plays: readonly { videoId: string; ids: AdIds; at: Date }[],
) => Promise<void>

export interface Batch {
  places: readonly HistoryRow[]
  watched: readonly Watched[]
}

/**
 * Writes a batch in one transaction. Repeating it changes nothing.
 * @returns the rows that could not be written now, because their account is being merged or deleted
 */
export async function writeSaves(db: Db, batch: Batch, countPlays: CountPlays): Promise<Batch> {
  const { places, watched } = batch
  if (watched.length === 0) return { places: await writePlaces(db, places), watched }
  return inTransaction(db, (tx) => writeSavesWithin(tx, batch, countPlays))
}

/** Writes a batch in an open transaction. */
export async function writeSavesWithin(
  tx: Tx,
  { places, watched }: Batch,
  countPlays: CountPlays,
): Promise<Batch> {
  return {
    places: await writePlaces(tx, places),
    watched: watched.length > 0 ? await writeWatched(tx, watched, countPlays) : watched,
  }
}

async function writePlaces(db: Db, places: readonly HistoryRow[]): Promise<HistoryRow[]> {
  if (places.length === 0) return []
  const written = await updatePlaces(db, places)
  return written.length === places.length ? [] : findUnwritten(db, places)
}

async function writeWatched(tx: Tx, watched: readonly Watched[], countPlays: CountPlays): Promise<Watched[]> {
  const { owners, left } = await holdOwners(tx, [...new Set(watched.map(({ user_id }) => user_id))])
  const owned = watched.flatMap((each) => {
    const user_id = owners.get(each.user_id)
    return user_id === undefined ? [] : [{ ...each, user_id }]
  })
  const firsts = await firstPlays(tx, owned)
  const noted = owned.filter((each) => each.finished || firsts.includes(each))
  if (noted.length > 0) await noteViewings(tx, noted)
  const opened = firsts.filter(({ source }) => source === 'subscription')
  if (opened.length > 0)
    await upsertUnlocks(
      tx,
      opened.map((each) => ({ ...each, unlocked_at: each.at })),
    )
  if (firsts.length > 0)
    await countPlays(
      tx,
      firsts.map(({ video_id: videoId, ids, at }) => ({ videoId, ids, at })),
    )
  return watched.filter(({ user_id }) => !owners.has(user_id) && !left.has(user_id))
}

const playOf = ({ user_id, episode_id, half_hour }: Pick<Watched, 'user_id' | 'episode_id' | 'half_hour'>) =>
  `${user_id} ${episode_id} ${half_hour.getTime()}`

/** Removes duplicate plays. */
async function firstPlays(tx: Tx, owned: readonly Watched[]): Promise<Watched[]> {
  const plays = new Map(owned.filter(({ mayBePlay }) => mayBePlay).map((each) => [playOf(each), each]))
  if (plays.size === 0) return []
  const first = await insertPlays(tx, [...plays.values()])
  return first.flatMap((row) => plays.get(playOf(row)) ?? [])
}
