import { Fault, Refusal } from '#contract/errors.ts'
import type { SavedPosition } from '#contract/library.ts'
import { freeEpisodesFor, type RunningExperiment } from '#server/features/experiments/experiments.ts'
import type { Tx } from '#server/tables.ts'
import { insertPlay } from './count-queries.ts'
import { loadRights } from './entitlements.ts'
import { markRemoved, upsertHistory } from './history-queries.ts'
import { noteViewing } from './viewing-queries.ts'
import { hideUnlocked, selectEpisode, upsertUnlock } from './queries.ts'

const halfHourMs = 30 * 60_000
/** Whoever has come so far has finished an episode: what follows are its credits. */
const finishedFrom = 0.9

/** A time as a client's clock said it, cut to between 1970 and now: a clock that runs ahead must block nothing later. */
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

/**
 * Keeps where a viewer is (product.md, section 3). The latest `at` wins, so a late or repeated call changes nothing; a position
 * beyond the end is cut to it. The first call of a half hour counts as a play and notes what a subscription opened; that an episode was
 * begun, and that it was finished, is noted once for good.
 * @param onPlay told of the first call of a half hour
 * @returns the entry as it stands now; only its `video_id` where it was removed since
 * @throws Fault badRequest where a field is missing or `at` is no time; Refusal notFound for an episode that is not of this
 * video, may not be seen or has nothing to play, notYours for a locked one
 */
export async function savePosition(
  tx: Tx,
  userId: string,
  position: Partial<SavedPosition>,
  now: Date,
  onPlay: (videoId: string) => Promise<void>,
  running: readonly RunningExperiment[] = [],
): Promise<Partial<SavedPosition>> {
  const { video_id, episode_id, position_ms, at } = whole(position)
  const time = timeOf(at, now)
  const episode = await selectEpisode(tx, episode_id)
  if (episode?.video_id !== video_id || episode.asset_id === null) throw new Refusal('notFound')
  const { free_episodes } = episode
  const free = freeEpisodesFor(running, userId, { id: video_id, free_episodes })
  const source = await sourceOf(tx, userId, { ...episode, free_episodes: free.count }, now)
  const end = episode.duration_ms ?? Infinity
  const entry = await upsertHistory(tx, {
    user_id: userId,
    video_id,
    episode_id,
    position_ms: Math.min(position_ms, end),
    at: time,
  })
  const half_hour = new Date(Math.floor(now.getTime() / halfHourMs) * halfHourMs)
  const first = await insertPlay(tx, { user_id: userId, episode_id, video_id, half_hour })
  if (first) await onPlay(video_id)
  const finished = position_ms >= end * finishedFrom
  if (first || finished) await noteViewing(tx, { userId, episodeId: episode_id, finished })
  if (first && source === 'subscription')
    await upsertUnlock(tx, { user_id: userId, video_id, episode_id, unlocked_at: now })
  return entry ? { ...entry, at: entry.at.toISOString() } : { video_id }
}

/** Why the viewer may play an episode. @throws Refusal notYours where it is locked */
async function sourceOf(
  tx: Tx,
  userId: string,
  episode: { id: string; video_id: string; number: number; free_episodes: number },
  now: Date,
): Promise<'free' | 'purchase' | 'subscription'> {
  if (episode.number <= episode.free_episodes) return 'free'
  const rights = await loadRights(tx, userId, episode.video_id, now)
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
 * Removes videos from the list of what was watched or unlocked. Saves of watching from before the removal (`at`, or now) that
 * come late bring nothing back. What was bought stays the viewer's; it is only not listed any more.
 * @returns how many were on the list
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
