import type { Generated } from 'kysely'

export interface AlertSettingsTable {
  user_id: string
  /** True if new episodes of favorites are mailed. */
  mail: boolean
  changed_at: Date
}

/** Filled by a trigger when an episode of a published video plays for the first time. */
export interface NewEpisodesTable {
  episode_id: string
  video_id: string
  /** Time at which the job first processed it. */
  detected_at: Date | null
}

/** A video's release, while the alerts for its favorites are queued. */
export interface AlertBatchesTable {
  id: string
  video_id: string
  /** The first of the new episodes. */
  number: number
  count: number
  detected_at: Date
  /** The last user processed. */
  last_user_id: Generated<string>
}

/** A browser with notifications on. */
export interface PushSubscriptionsTable {
  /** The SHA-256 of the endpoint, in base64url. */
  id: string
  user_id: string
  /** The member's session that the subscription ends with; null for a guest. */
  session_id: string | null
  endpoint: string
  p256dh: string
  auth: string
  /** The site's public key that the browser subscribed with. */
  public_key: string
  /** Time since when the site has another key. */
  key_outdated_since: Date | null
  created_at: Date
}

/** A queued notification: the release of one video, for one browser. */
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
