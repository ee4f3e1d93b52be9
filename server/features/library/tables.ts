import type { Generated } from 'kysely'

export interface HistoryTable {
  user_id: string
  video_id: string
  episode_id: string
  position_ms: number
  at: Date
}

export interface FavoritesTable {
  user_id: string
  video_id: string
  favorited_at: Date
}

export interface PlaysTable {
  user_id: string
  episode_id: string
  half_hour: Date
  video_id: string
  folded: Generated<boolean>
}

/** `episode_id` set: that episode. Only `video_id`: the whole video. Neither: everything. */
export interface EntitlementsTable {
  id: string
  user_id: string
  order_id: string
  source: 'purchase' | 'subscription'
  video_id: string | null
  episode_id: string | null
  starts_at: Date
  ends_at: Date | null
  revoked_at: Date | null
}

export interface LibraryTables {
  history: HistoryTable
  favorites: FavoritesTable
  plays: PlaysTable
  entitlements: EntitlementsTable
}
