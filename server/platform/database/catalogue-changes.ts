import type { Pool } from 'pg'
import type { AnnouncementListener } from './announcements.ts'

/** The last change of some data of the catalogue. */
interface LastChange {
  /** The number of changes up to this one. */
  number: number
  /**
   * Whether caches may rely on the announcement of the next change: announcements arrive, and this change was a while
   * ago.
   */
  isSettled: boolean
}

/** Tells caches whether the data of the catalogue may have changed. */
export interface ChangeFeed {
  /**
   * Returns the last change of a video and its episodes, or of anything without an id. An empty id returns the last
   * change that was announced without a video.
   */
  lastChange(videoId?: string): LastChange
}

/**
 * The time without a change after which caches rely on the announcements. While operators edit or import a video, its
 * answers are cached for at most a second, so that a change is soon seen even if its announcement is delayed.
 */
const defaultQuietMs = 60_000

/** Maximum number of videos whose last changes are known. If there are more, all videos count as changed. */
const defaultMaxVideos = 10_000

/**
 * Tracks announced changes of episodes, their videos and assets, and of experiments. An announcement without a video
 * counts for all videos. Only HTTP processes listen to them.
 */
export function createCatalogueChanges(pool: Pool, quietMs = defaultQuietMs, maxVideos = defaultMaxVideos) {
  let latest = { number: 0, at: performance.now() }
  let latestOfAll = latest
  const latestByVideo = new Map<string, typeof latest>()
  let mayRely = () => false
  const change = (videoId: string) => {
    latest = { number: latest.number + 1, at: performance.now() }
    if (videoId !== '') latestByVideo.set(videoId, latest)
    if (videoId !== '' && latestByVideo.size <= maxVideos) return
    latestByVideo.clear()
    latestOfAll = latest
  }
  const listener: AnnouncementListener = {
    channel: 'catalogue',
    onAnnouncement: change,
    onMissed: () => change(''),
  }
  return {
    listener,
    lastChange(videoId?: string): LastChange {
      const { number, at } = videoId === undefined ? latest : (latestByVideo.get(videoId) ?? latestOfAll)
      return { number, isSettled: mayRely() && performance.now() - at >= quietMs }
    },
    /**
     * Relies on announcements while `arrive` returns true. Never relies on them if the migration that adds the
     * announcements has not run.
     */
    async rely(arrive: () => boolean): Promise<void> {
      const { rows } = await pool.query<{ announced: boolean }>(
        `SELECT to_regprocedure('announce_catalogue_change()') IS NOT NULL AS announced`,
      )
      if (rows[0]?.announced) mayRely = arrive
    },
  }
}
