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

export interface AlertTables {
  alert_settings: AlertSettingsTable
  new_episodes: NewEpisodesTable
  alert_batches: AlertBatchesTable
}
