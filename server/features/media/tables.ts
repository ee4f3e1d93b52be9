import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Language, LocalizedText } from '#contract/languages.ts'
import type { SourceNote } from './ingest/files/source-notes.ts'
import type { UnusableReason } from './ingest/files/unusable-file.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

/**
 * Key and values of a failure reason. Null for files that failed before this column existed; then `reason` has the
 * text.
 */
type ReasonDetailsColumn = JSONColumnType<UnusableReason | null, string | null | undefined, string | null>

/**
 * Captions of an asset in one language. `hash` is the hash of the WebVTT text. It shows whether the caption file has
 * changed.
 */
export interface Caption {
  lang: Language
  hash: string
  /** True if the captions were embedded in the video file. A caption file in this language replaces them. */
  embedded?: true
  /** Line of the first caption that was omitted because of invalid times. */
  omittedLine?: number
}

export type AssetState = 'uploaded' | 'processing' | 'ready' | 'failed'

export interface AssetsTable {
  id: string
  state: AssetState
  progress: Generated<number>
  /** Number of claims from the queue. A worker may finish the asset only while it has the latest claim. */
  attempt: Generated<number>
  /** Number of failed conversions that the server caused. Interruptions do not count. */
  failures: Generated<number>
  /** Reason of the failure in English, as in the log. */
  reason: string | null
  reason_details: ReasonDetailsColumn
  failed_at: NullableTime
  /** Notes on parts of the file that were not converted; set when the asset becomes ready. */
  notes: JSONColumnType<SourceNote[], string | undefined, string>
  original_path: string | null
  source_name: string
  source_hash: string
  width: number | null
  height: number | null
  duration_ms: number | null
  has_audio: boolean | null
  captions: JSONColumnType<Caption[], string | undefined, string>
  priority: Generated<number>
  /** The encrypted key of the segments (media-keys.ts). */
  media_key: ColumnType<Buffer | null, Buffer | undefined, Buffer>
  /**
   * Folder of the asset's files below `media/` and `public/`, which is part of links; null until the asset is ready.
   */
  folder: string | null
  deleted_at: NullableTime
  created_at: Time
  ready_at: NullableTime
}

export interface EpisodesTable {
  id: string
  video_id: string
  number: number
  titles: JSONColumnType<Partial<LocalizedText>, string | undefined, string>
  asset_id: string | null
  next_asset_id: string | null
  created_at: Time
}

/** Files and folders in the storage to which no row refers, either not yet or not any more. */
export interface OrphanedFilesTable {
  key: string
  recorded_at: ColumnType<Date, Date, Date>
}

/** Files that are being moved to the storage, each with the id of the asset that it will become. */
export interface IncomingFilesTable {
  episode_id: string
  source_hash: string
  asset_id: string
  started_at: ColumnType<Date, Date, Date>
}

export interface UploadsTable {
  id: string
  video_id: string
  name: string
  /** A bigint, which the database driver returns as text. */
  bytes: ColumnType<string | number, number, never>
  last_modified_at: Time
  number: number
  language: Language | null
  state: 'uploading' | 'complete' | 'queued' | 'rejected'
  reason: string | null
  reason_details: ReasonDetailsColumn
  /** Titles for the languages in which the episode has none. */
  titles: JSONColumnType<Partial<LocalizedText> | null, string | null | undefined, string | null>
  updated_at: Time
}

export interface UploadPartsTable {
  upload_id: string
  /** Number of the part, counted from 0. */
  part: number
}

export interface MediaTables {
  uploads: UploadsTable
  upload_parts: UploadPartsTable
  assets: AssetsTable
  orphaned_files: OrphanedFilesTable
  incoming_files: IncomingFilesTable
  episodes: EpisodesTable
}
