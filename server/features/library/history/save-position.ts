import { Fault, Refusal } from '#contract/errors.ts'
import type { SavedPosition } from '#contract/library.ts'
import { freeEpisodesFor, type RunningExperiment } from '#server/features/experiments/experiments.ts'
import type { Db, Tx } from '#server/tables.ts'
import { loadRights } from '#server/features/library/entitlements.ts'
import { markRemoved, upsertHistory, type HistoryRow } from './history-queries.ts'
import { hideUnlocked, selectEpisode } from '#server/features/library/queries.ts'
import { insertPlays, noteViewings, upsertUnlocks } from './save-queries.ts'

const halfHourMs = 30 * 60_000
/** Share of an episode after which it counts as finished: the credits follow. */
const finishedFrom = 0.9

/** Parses a client's time, cut to between 1970 and now: a fast clock must block nothing later. */
function timeOf(at: string, now: Date): Date {
  const time = Date.parse(at)
  if (Number.isNaN(time)) throw new Fault('badRequest', 'at is not a time')
  return new Date(Math.min(Math.max(time, 0), now.getTime()))
}

function whole(position: Partial<SavedPosition>): SavedPosition {
  const { video_id, episode_id, position_ms, at } = position
  if (video_id === undefined || episode_id === undefined || position_ms === undefined || at === undefined) {
    throw new Fault('badRequest', 'video_id, episode_id, position_ms and at are needed')
  }
  return { video_id, episode_id, position_ms, at }
}

/** Parses a position, with its time cut to now. @throws Fault badRequest if a field is missing or `at` is not a time */
export function readSave(position: Partial<SavedPosition>, now: Date): Omit<HistoryRow, 'user_id'> {
  const { video_id, episode_id, position_ms, at } = whole(position)
  return { video_id, episode_id, position_ms, at: timeOf(at, now) }
}

/** Returns the start of the half hour in which a play counts once. */
export const halfHourOf = (now: Date) => new Date(Math.floor(now.getTime() / halfHourMs) * halfHourMs)

/** Why a viewer may play an episode, and the episode's duration. */
export interface Admission {
  source: 'free' | 'purchase' | 'subscription'
  end: number
}

export const isFinished = (positionMs: number, { end }: Admission) => positionMs >= end * finishedFrom

/**
 * Returns why a viewer may play an episode.
 * @throws Refusal notFound if the episode is not of this video, not visible or has nothing to play; notYours if it is locked
 */
export async function admitTo(
  db: Db,
  { userId, position }: { userId: string; position: Partial<SavedPosition> },
  episode: Awaited<ReturnType<typeof selectEpisode>>,
  now: Date,
  running: readonly RunningExperiment[],
): Promise<Admission> {
  if (episode?.video_id !== position.video_id || episode?.asset_id == null) throw new Refusal('notFound')
  const { video_id, free_episodes } = episode
  const free = freeEpisodesFor(running, userId, { id: video_id, free_episodes })
  const source = await sourceOf(db, userId, { ...episode, free_episodes: free.count }, now)
  return { source, end: episode.duration_ms ?? Infinity }
}

/** Result of saving a position. */
export interface SavedNow {
  /** The current entry; undefined if it was removed since. */
  entry: Omit<HistoryRow, 'user_id'> | undefined
  admission: Admission
  half_hour: Date
  finished: boolean
}

/**
 * Saves a viewer's position. The latest `at` wins, so a late or repeated call changes nothing; a position after the end is cut to
 * it. The first call of a half hour counts as a play and records what a subscription opened. The start and the finish of an episode
 * are each recorded once.
 * @param onPlay called with the first call of a half hour
 * @returns the current entry, and the facts read on the way
 * @throws Fault badRequest if a field is missing or `at` is not a time; Refusal notFound if the episode is not of this video, not
 * visible or has nothing to play, notYours if it is locked
 */
export async function savePosition(
  tx: Tx,
  userId: string,
  position: Partial<SavedPosition>,
  now: Date,
  onPlay: (videoId: string) => Promise<void>,
  running: readonly RunningExperiment[] = [],
): Promise<SavedNow> {
  const { video_id, episode_id, position_ms, at } = readSave(position, now)
  const episode = await selectEpisode(tx, episode_id)
  const admission = await admitTo(tx, { userId, position }, episode, now, running)
  const entry = await upsertHistory(tx, {
    user_id: userId,
    video_id,
    episode_id,
    position_ms: Math.min(position_ms, admission.end),
    at,
  })
  const half_hour = halfHourOf(now)
  const watched = { user_id: userId, video_id, episode_id }
  const [first] = await insertPlays(tx, [{ ...watched, half_hour }])
  if (first) await onPlay(video_id)
  const finished = isFinished(position_ms, admission)
  if (first || finished) await noteViewings(tx, [{ ...watched, finished }])
  if (first && admission.source === 'subscription')
    await upsertUnlocks(tx, [{ ...watched, unlocked_at: now }])
  return { entry, admission, half_hour, finished }
}

/** Returns the entry in the contract's form; only its `video_id` if it was removed since. */
export function presentSaved(
  { entry }: SavedNow,
  { video_id }: Partial<SavedPosition>,
): Partial<SavedPosition> {
  if (entry) return { ...entry, at: entry.at.toISOString() }
  return video_id === undefined ? {} : { video_id }
}

/** Returns why the viewer may play an episode. @throws Refusal notYours if it is locked */
async function sourceOf(
  db: Db,
  userId: string,
  episode: { id: string; video_id: string; number: number; free_episodes: number },
  now: Date,
): Promise<'free' | 'purchase' | 'subscription'> {
  if (episode.number <= episode.free_episodes) return 'free'
  const rights = await loadRights(db, userId, episode.video_id, now)
  const entitlement = rights.entitlementFor(episode.id)
  if (!entitlement) throw new Refusal('notYours')
  return entitlement.source
}

interface Removal {
  remove: readonly string[]
  kind?: 'watched' | 'unlocked'
  at?: string
}

/**
 * Removes videos from the list of watched or unlocked ones. Late saves from before the removal (`at`, or now) restore nothing. The
 * viewer keeps purchased videos; they are only hidden.
 * @returns how many were in the list
 */
export async function removeFromHistory(
  tx: Tx,
  userId: string,
  { remove, kind = 'watched', at }: Removal,
  now: Date,
): Promise<{ removed: number }> {
  const time = at === undefined ? now : timeOf(at, now)
  const removed =
    kind === 'watched'
      ? await markRemoved(tx, userId, remove, time)
      : await hideUnlocked(tx, userId, remove, now)
  return { removed }
}
