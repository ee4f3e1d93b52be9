import type { Generated } from 'kysely'

export interface AlertSettingsTable {
  user_id: string
  /** Whether new episodes of favorites are mailed. */
  mail: boolean
  changed_at: Date
}

/** Filled by a trigger when an episode of a published video plays for the first time. */
export interface NewEpisodesTable {
  episode_id: string
  video_id: string
  /** When the job first saw it. */
  noticed_at: Date | null
}

/** What a video released at once, while its favorites are gone through. */
export interface AlertBatchesTable {
  id: string
  video_id: string
  /** The first of the new episodes. */
  number: number
  count: number
  noticed_at: Date
  /** The last user who was gone through. */
  after_user: Generated<string>
}

/** A browser in which somebody turned notifications on. */
export interface PushSubscriptionsTable {
  /** The SHA-256 of the endpoint, in base64url. */
  id: string
  user_id: string
  /** The member's session that it ends with; null for a guest. */
  session_id: string | null
  endpoint: string
  p256dh: string
  auth: string
  /** The site's key that the browser takes pushes of. */
  public_key: string
  /** Since when the site has another key. */
  other_key_since: Date | null
  created_at: Date
}

/** A notification that waits to be sent: what one video released at once, for one browser. */
export interface PushMessagesTable {
  subscription_id: string
  video_id: string
  number: number
  count: number
  attempts: Generated<number>
  due_at: Date
  expires_at: Date
}

export interface AlertTables {
  alert_settings: AlertSettingsTable
  new_episodes: NewEpisodesTable
  alert_batches: AlertBatchesTable
  push_subscriptions: PushSubscriptionsTable
  push_messages: PushMessagesTable
}
