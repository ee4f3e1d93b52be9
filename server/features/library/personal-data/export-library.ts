import type { Db } from '#server/tables.ts'
import {
  readEntitlements,
  readFavorites,
  readHistory,
  readPlays,
  readUnlocks,
  readEpisodeViews,
} from './personal-data-queries.ts'

/**
 * Exports all of a user's records in the library, as lists that are read page by page. In JSON, dates have the format
 * of RFC 3339.
 */
export async function exportLibrary(db: Db, userId: string): Promise<Record<string, unknown>> {
  return {
    history: readHistory(db, userId),
    favorites: readFavorites(db, userId),
    unlocked_by_subscription: readUnlocks(db, userId),
    entitlements: readEntitlements(db, userId),
    episode_views: readEpisodeViews(db, userId),
    recent_plays: readPlays(db, userId),
  }
}
