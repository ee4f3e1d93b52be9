import type { Pool } from 'pg'
import type { AnnouncementListener } from './announcements.ts'

/** Tells caches whether the data of the catalogue may have changed. */
export interface ChangeFeed {
  /** Returns the number of changes so far; undefined while changes may go unnoticed, and for a while after a change. */
  version(): number | undefined
}

/**
 * The time without a change after which caches rely on the announcements. While operators edit or import, answers are
 * cached for at most a second, so that a change is soon seen even if its announcement is delayed.
 */
const defaultQuietMs = 60_000

/**
 * Tracks announced changes of episodes, their videos and assets, and of experiments. Only HTTP processes listen to
 * them.
 */
export function createCatalogueChanges(pool: Pool, quietMs = defaultQuietMs) {
  let changes = 0
  let quietSince = performance.now()
  let mayRely = () => false
  const change = () => {
    changes++
    quietSince = performance.now()
  }
  const listener: AnnouncementListener = { channel: 'catalogue', onAnnouncement: change, onMissed: change }
  return {
    listener,
    version: () => (mayRely() && performance.now() - quietSince >= quietMs ? changes : undefined),
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
