import type { Generated, GeneratedAlways } from 'kysely'

/** `removed`: the row is a tombstone with the time of the removal. */
export interface WatchHistoryTable {
  user_id: string
  video_id: string
  episode_id: string
  position_ms: number
  at: Date
  removed: Generated<boolean>
}

export interface FavoritesTable {
  user_id: string
  video_id: string
  favorited_at: Date
}

export interface FavoriteChangesTable {
  id: GeneratedAlways<number>
  user_id: string | null
  video_id: string
  change: 1 | -1
}

export interface PlaysTable {
  user_id: string
  episode_id: string
  half_hour: Date
  video_id: string
  /** True if the play is counted in `videos.play_count` or in `play_count_changes`. */
  aggregated: Generated<boolean>
}

export interface PlayCountChangesTable {
  id: GeneratedAlways<number>
  video_id: string
  change: number
}

export interface UnlocksTable {
  user_id: string
  video_id: string
  episode_id: string
  unlocked_at: Date
}

/**
 * An entitlement covers an episode if `episode_id` is set, the whole video if
 * only `video_id` is set, otherwise everything.
 */
export interface EntitlementsTable {
  id: string
  user_id: string
  /** Null for a grant by an operator, which has a reason in `grant_reason`. */
  order_id: string | null
  source: 'purchase' | 'subscription'
  video_id: string | null
  episode_id: string | null
  starts_at: Date
  ends_at: Date | null
  revoked_at: Date | null
  hidden_at: Generated<Date | null>
  grant_reason: Generated<string | null>
  /** Reason given by the operator who revoked the entitlement. */
  revocation_reason: Generated<string | null>
}

/** `finished`: 90 % or more was watched. */
export interface EpisodeViewsTable {
  user_id: string
  episode_id: string
  finished: boolean
}

export interface EpisodeViewerChangesTable {
  id: GeneratedAlways<number>
  episode_id: string
  started: number
  finished: number
}

export interface EpisodeViewerCountsTable {
  episode_id: string
  started: number
  finished: number
  since: Date
}

export interface LibraryTables {
  episode_views: EpisodeViewsTable
  episode_viewer_changes: EpisodeViewerChangesTable
  episode_viewer_counts: EpisodeViewerCountsTable
  watch_history: WatchHistoryTable
  favorites: FavoritesTable
  favorite_changes: FavoriteChangesTable
  plays: PlaysTable
  play_count_changes: PlayCountChangesTable
  unlocks: UnlocksTable
  entitlements: EntitlementsTable
}
