import type { Generated } from 'kysely'

export interface AlertSettingsTable {
  user_id: string
  /** True if the user gets a mail about new episodes of favorites. */
  mail: boolean
  changed_at: Date
}

/**
 * Episodes to alert about. A trigger inserts a row when an episode of a published video becomes playable for the first
 * time.
 */
export interface NewEpisodesTable {
  episode_id: string
  video_id: string
  /** Time at which the alert job first found the row; null until then. */
  detected_at: Date | null
}

/** A release of a video whose alerts are being queued. */
export interface AlertBatchesTable {
  id: string
  video_id: string
  /** Number of the first new episode. */
  number: number
  count: number
  detected_at: Date
  /** Id of the last user whose alerts are queued. */
  last_user_id: Generated<string>
}

/** A browser in which notifications are turned on. */
export interface PushSubscriptionsTable {
  /** The SHA-256 of the endpoint, in base64url. */
  id: string
  user_id: string
  /** The member's session; the subscription is deleted with it. Null for a guest. */
  session_id: string | null
  endpoint: string
  p256dh: string
  auth: string
  /** The site's public key at the time of the subscription. */
  public_key: string
  /** Time since which the site has used another public key; null while `public_key` is the site's current key. */
  key_outdated_since: Date | null
  created_at: Date
}

/** A queued push about a release of one video, for one browser. */
export interface PushMessagesTable {
  subscription_id: string
  video_id: string
  number: number
  count: number
  attempts: Generated<number>
  next_attempt_at: Date
  expires_at: Date
}

export interface AlertTables {
  alert_settings: AlertSettingsTable
  new_episodes: NewEpisodesTable
  alert_batches: AlertBatchesTable
  push_subscriptions: PushSubscriptionsTable
  push_messages: PushMessagesTable
}
