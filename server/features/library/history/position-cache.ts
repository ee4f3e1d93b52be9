import type { AdClickIds } from '#server/platform/http/route.ts'
import type { HistoryRow, StoredViewing } from './history-queries.ts'
import type { PlaybackAccess, SaveResult } from './save-position.ts'

type Entry = Omit<HistoryRow, 'user_id'>

/** A viewer's access to an episode, as checked in `half_hour`, and whether the finish is already recorded. */
export type CachedAccess = PlaybackAccess & { half_hour: Date; finished: boolean }

/** Cached data about one viewer and one video. */
export interface CachedPosition {
  /** Undefined if the viewer has not started the video. */
  entry: Entry | undefined
  /** By episode id. Undefined until the first play: most opened pages have no play, and maps are large. */
  accessByEpisode: Map<string, CachedAccess> | undefined
}

interface CachedUser {
  /** The stored time zone; undefined if it is unknown. */
  zone: string | null | undefined
  /** The last stored source of a visit, as JSON. */
  ids: string
  /** By video id. */
  videos: Map<string, CachedPosition>
}

/** The part of a call that decides whether the viewer's row has to change. */
interface Caller {
  userId: string
  zone: string | undefined
  ids: AdClickIds
}

/** Caches the positions that viewers have in the database, with the data that their next positions need. */
export interface PositionCache {
  /**
   * Returns the viewer's position in a video. Returns undefined if it is not cached, or if the call changes the user's
   * row.
   */
  get(caller: Caller, videoId: string): CachedPosition | undefined
  /** Caches the result of a position that the database saved. */
  addSaved(caller: Caller, episodeId: string, saved: SaveResult): void
  /** Caches the data that was read when the viewer opened a video. A position that is already cached remains. */
  addLoaded(userId: string, videoId: string, viewing: StoredViewing): void
  evict(userId: string): void
}

const maxUsers = 20_000
const maxVideosPerUser = 20
/** The source of a visit that came neither by a referrer link nor by an ad. Such a call stores no source. */
const noIds = '{}'

export function createPositionCache(): PositionCache {
  const users = new Map<string, CachedUser>()

  /**
   * Returns a user's cache, and moves it to the end of the map. Users whose positions were loaded or saved longest ago
   * are evicted first.
   */
  const touch = (userId: string): CachedUser => {
    const user = users.get(userId) ?? { zone: undefined, ids: noIds, videos: new Map() }
    users.delete(userId)
    evictOldest(users, maxUsers)
    users.set(userId, user)
    return user
  }
  const setVideo = ({ videos }: CachedUser, videoId: string, position: CachedPosition) => {
    videos.delete(videoId)
    evictOldest(videos, maxVideosPerUser)
    videos.set(videoId, position)
  }

  return {
    get({ userId, zone, ids }, videoId) {
      const user = users.get(userId)
      const changesZone = zone !== undefined && zone !== user?.zone
      const source = JSON.stringify(ids)
      return changesZone || (source !== noIds && source !== user?.ids) ? undefined : user?.videos.get(videoId)
    },
    addSaved({ userId, zone, ids }, episodeId, { entry, access, half_hour, finished }) {
      if (!entry) return
      const user = touch(userId)
      const source = JSON.stringify(ids)
      user.zone = zone ?? user.zone
      user.ids = source === noIds ? user.ids : source
      const accessByEpisode = user.videos.get(entry.video_id)?.accessByEpisode
      const position = { entry: toEntry(entry), accessByEpisode }
      cacheAccess(position, episodeId, { ...access, half_hour, finished })
      setVideo(user, entry.video_id, position)
    },
    addLoaded(userId, videoId, { timeZone, entry }) {
      const user = touch(userId)
      user.zone = timeZone
      // After a removal, only the database can decide whether a position is from before the removal.
      if (user.videos.has(videoId) || entry?.removed) return
      setVideo(user, videoId, { entry: entry && toEntry(entry), accessByEpisode: undefined })
    },
    evict: (userId) => void users.delete(userId),
  }
}

/** Caches a viewer's access to an episode together with the position in its video. */
export function cacheAccess(position: CachedPosition, episodeId: string, access: CachedAccess): void {
  position.accessByEpisode ??= new Map()
  position.accessByEpisode.set(episodeId, access)
}

const toEntry = ({ video_id, episode_id, position_ms, at }: Entry): Entry => ({
  video_id,
  episode_id,
  position_ms,
  at,
})

/** Deletes the first entry of a full map, to make room for one more. */
function evictOldest(map: Map<string, unknown>, maxSize: number): void {
  const [oldest] = map.keys()
  if (map.size >= maxSize && oldest !== undefined) map.delete(oldest)
}
