import { Fault, Refusal } from '#contract/errors.ts'
import type { SavedPosition } from '#contract/library.ts'
import { freeEpisodesFor, type RunningExperiment } from '#server/features/experiments/experiments.ts'
import type { Db, Tx } from '#server/tables.ts'
import { loadVideoEntitlements } from '#server/features/library/entitlements.ts'
import { insertTombstones, markRemoved, upsertHistory, type HistoryRow } from './history-queries.ts'
import { hideUnlocked, selectEpisode } from '#server/features/library/entitlement-queries.ts'
import { insertPlays, recordEpisodeViews, upsertUnlocks } from './playback-queries.ts'

const halfHourMs = 30 * 60_000
/** An episode counts as finished after this share of it, because the credits follow. */
const finishedThreshold = 0.9

/**
 * Parses a client's time and limits it to the time from 1970 until now. Without this limit, the time of a fast clock
 * would block later positions.
 */
function parseClientTime(at: string, now: Date): Date {
  const time = Date.parse(at)
  if (Number.isNaN(time)) throw new Fault('badRequest', 'at is not a time')
  return new Date(Math.min(Math.max(time, 0), now.getTime()))
}

function requireAllFields(position: Partial<SavedPosition>): SavedPosition {
  const { video_id, episode_id, position_ms, at } = position
  if (video_id === undefined || episode_id === undefined || position_ms === undefined || at === undefined) {
    throw new Fault('badRequest', 'video_id, episode_id, position_ms and at are needed')
  }
  return { video_id, episode_id, position_ms, at }
}

/**
 * Parses a position. A time in the future becomes the current time.
 * @throws Fault badRequest if a field is missing or `at` is not a time
 */
export function parsePosition(position: Partial<SavedPosition>, now: Date): Omit<HistoryRow, 'user_id'> {
  const { video_id, episode_id, position_ms, at } = requireAllFields(position)
  return { video_id, episode_id, position_ms, at: parseClientTime(at, now) }
}

/** Returns the start of the current half hour. A viewer's plays of an episode count once in each half hour. */
export const halfHourOf = (now: Date) => new Date(Math.floor(now.getTime() / halfHourMs) * halfHourMs)

/** Why a viewer may play an episode, and the episode's duration. */
export interface PlaybackAccess {
  source: 'free' | 'purchase' | 'subscription'
  durationMs: number
}

export const isFinished = (positionMs: number, { durationMs }: PlaybackAccess) =>
  positionMs >= durationMs * finishedThreshold

/**
 * Returns why a viewer may play an episode.
 * @throws Refusal notFound if the episode belongs to another video, is not visible or not playable; Refusal notOwner if
 * it is locked
 */
export async function checkPlaybackAccess(
  db: Db,
  { userId, position }: { userId: string; position: Partial<SavedPosition> },
  episode: Awaited<ReturnType<typeof selectEpisode>>,
  now: Date,
  running: readonly RunningExperiment[],
): Promise<PlaybackAccess> {
  if (episode?.video_id !== position.video_id || episode?.asset_id == null) throw new Refusal('notFound')
  const { video_id, free_episodes } = episode
  const freeEpisodes = freeEpisodesFor(running, userId, { id: video_id, free_episodes })
  const source = await accessSourceOf(db, userId, { ...episode, free_episodes: freeEpisodes.count }, now)
  return { source, durationMs: episode.duration_ms ?? Infinity }
}

/** Result of saving a position. */
export interface SaveResult {
  /** The viewer's current entry for the video; undefined if it was removed later. */
  entry: Omit<HistoryRow, 'user_id'> | undefined
  access: PlaybackAccess
  half_hour: Date
  finished: boolean
}

/**
 * Saves a viewer's position. The latest `at` wins, so a late or repeated call changes nothing. A position after the end
 * of the episode is stored as its end. The first call of a half hour counts as a play. With a subscription, this call
 * also records the episode as unlocked. The start and the finish of an episode are each recorded once.
 * @param onPlay called for the first call of a half hour
 * @returns the current entry, and the data that was read to save it
 * @throws Fault badRequest if a field is missing or `at` is not a time; Refusal notFound if the episode belongs to
 * another video, is not visible or not playable; Refusal notOwner if it is locked
 */
export async function savePosition(
  tx: Tx,
  userId: string,
  position: Partial<SavedPosition>,
  now: Date,
  onPlay: (videoId: string) => Promise<void>,
  running: readonly RunningExperiment[] = [],
): Promise<SaveResult> {
  const { video_id, episode_id, position_ms, at } = parsePosition(position, now)
  const episode = await selectEpisode(tx, episode_id)
  const access = await checkPlaybackAccess(tx, { userId, position }, episode, now, running)
  const entry = await upsertHistory(tx, {
    user_id: userId,
    video_id,
    episode_id,
    position_ms: Math.min(position_ms, access.durationMs),
    at,
  })
  const half_hour = halfHourOf(now)
  const watched = { user_id: userId, video_id, episode_id }
  const [firstPlay] = await insertPlays(tx, [{ ...watched, half_hour }])
  if (firstPlay) await onPlay(video_id)
  const finished = isFinished(position_ms, access)
  if (firstPlay || finished) await recordEpisodeViews(tx, [{ ...watched, finished }])
  if (firstPlay && access.source === 'subscription')
    await upsertUnlocks(tx, [{ ...watched, unlocked_at: now }])
  return { entry, access, half_hour, finished }
}

/** Converts the result to the contract's form. The form has only the `video_id` if the entry was removed later. */
export function presentSaveResult(
  { entry }: SaveResult,
  { video_id }: Partial<SavedPosition>,
): Partial<SavedPosition> {
  if (entry) return { ...entry, at: entry.at.toISOString() }
  return video_id === undefined ? {} : { video_id }
}

/**
 * Returns why the viewer may play an episode.
 * @throws Refusal notOwner if it is locked
 */
async function accessSourceOf(
  db: Db,
  userId: string,
  episode: { id: string; video_id: string; number: number; free_episodes: number },
  now: Date,
): Promise<'free' | 'purchase' | 'subscription'> {
  if (episode.number <= episode.free_episodes) return 'free'
  const rights = await loadVideoEntitlements(db, userId, episode.video_id, now)
  const entitlement = rights.entitlementFor(episode.id)
  if (!entitlement) throw new Refusal('notOwner')
  return entitlement.source
}

interface Removal {
  remove: readonly string[]
  kind?: 'watched' | 'unlocked'
  at?: string
}

/**
 * Removes videos from a viewer's list of watched or unlocked videos, as of `at` (by default now). A position from
 * before that time does not restore its entry if it is saved later. This also applies to a video that has no entry yet.
 * Purchased videos are only hidden; the viewer can still watch them.
 * @returns how many videos were in the list, and how many tombstones were added to block late saves
 */
export async function removeFromHistory(
  tx: Tx,
  userId: string,
  { remove, kind = 'watched', at }: Removal,
  now: Date,
): Promise<{ removed: number; added: number }> {
  if (kind === 'unlocked') return { removed: await hideUnlocked(tx, userId, remove, now), added: 0 }
  const time = at === undefined ? now : parseClientTime(at, now)
  const { found, removed } = await markRemoved(tx, userId, remove, time)
  const added = found < new Set(remove).size ? await insertTombstones(tx, userId, remove, time) : 0
  return { removed, added }
}
