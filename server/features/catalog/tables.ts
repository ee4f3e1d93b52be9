import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Language, LocalizedText } from '#contract/languages.ts'
import type { TagTask } from '#contract/studio/labels.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
/** A JSON column that is written as text. */
type Json<T extends object> = JSONColumnType<T, string, string>

export interface CategoriesTable {
  id: string
  slug: string
  names: Json<LocalizedText>
  position: Generated<number>
}

export interface TagsTable {
  id: string
  slug: string
  names: Json<LocalizedText>
  /** Number of published videos with this tag; maintained by triggers. */
  video_count: Generated<number>
  /** Score of recent plays of its videos. Each ranking derives `rank` and `trending` from it. */
  trending_score: Generated<number>
  rank: Generated<number>
  /** Rank in the previous ranking, for viewers who are paging through the tags during a new ranking. */
  previous_rank: Generated<number>
  trending: Generated<boolean>
}

/** Covers by language, each with its key in the storage and its colour. */
export type LanguageCovers = Partial<Record<Language, { path: string; color: string }>>

export interface VideosTable {
  id: string
  slug: string
  titles: Json<LocalizedText>
  synopses: Json<LocalizedText>
  category_id: string | null
  state: 'draft' | 'scheduled' | 'published' | 'archived'
  badge: 'new' | 'hot' | null
  featured: Generated<boolean>
  free_episodes: number
  episode_count: Generated<number>
  currency: string
  episode_cents: number
  video_cents: number
  cover_path: string | null
  cover_color: Generated<string>
  /** Covers that viewers of a language see instead of the default cover. */
  language_covers: JSONColumnType<LanguageCovers, string | undefined, string>
  /** Conversion progress of its episodes in percent; null once all are ready. */
  progress: Generated<number | null>
  play_count: Generated<number>
  /** Number of plays at the last ranking. Lists by popularity are sorted by this number. */
  popularity: Generated<number>
  /** Ids of its tags in order; maintained by triggers. */
  tag_ids: ColumnType<string[], never, never>
  favorite_count: Generated<number>
  share_count: Generated<number>
  released_at: ColumnType<Date | null, Date | string | null | undefined, Date | string | null>
  created_at: Time
}

export interface VideoTagsTable {
  video_id: string
  tag_id: string
  position: number
  /** Sort column of a tag's videos; maintained by triggers. Null if the video is not published. */
  released_at: ColumnType<Date | null, never, never>
  popularity: Generated<number>
}

/** Pending changes to the videos of a tag with many videos. */
export interface TagBatchJobsTable {
  tag_id: string
  task: TagTask
  /** The tag that replaces this one; null if no tag does. */
  target_tag_id: string | null
  /** Id of the last video that was indexed. */
  last_video_id: Generated<string>
}

/** Source of a section's videos. */
export type SectionSource =
  | { type: 'featured' | 'newest' | 'popular' }
  | { type: 'recommended' }
  | { type: 'category' | 'tag'; slug: string }
  | { type: 'videos'; slugs: string[] }

export interface SectionsTable {
  id: string
  kind: 'carousel' | 'row' | 'ranking' | 'grid'
  titles: Json<LocalizedText>
  source: Json<SectionSource>
  position: number
}

export interface SettingsTable {
  key: string
  value: Json<object>
}

export interface CatalogTables {
  categories: CategoriesTable
  tags: TagsTable
  videos: VideosTable
  video_tags: VideoTagsTable
  tag_batch_jobs: TagBatchJobsTable
  sections: SectionsTable
  settings: SettingsTable
}
