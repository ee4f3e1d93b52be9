import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Language, LocalizedText } from '#contract/languages.ts'
import type { SourceNote } from './ingest/files/source-notes.ts'
import type { UnusableReason } from './ingest/files/unusable-file.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type NullableTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

/** Also null for files that failed before there were keys; `reason` has the sentence. */
type ReasonDetailsColumn = JSONColumnType<UnusableReason | null, string | null | undefined, string | null>

/** `hash` of the caption's normalised text, to detect whether the file beside the episode has changed. */
export interface Caption {
  lang: Language
  hash: string
  /** The captions are from the video file itself; a file beside the episode overrides them. */
  embedded?: true
  /** First line of the file with unusable times: such captions were omitted. */
  lostLine?: number
}

export type AssetState = 'uploaded' | 'processing' | 'ready' | 'failed'

export interface AssetsTable {
  id: string
  state: AssetState
  progress: Generated<number>
  /** Number of claims from the queue; the worker that finishes must still have the latest one. */
  attempt: Generated<number>
  /** Number of failed conversions caused by the server; interruptions do not count. */
  failures: Generated<number>
  /** In English, as in the log. */
  reason: string | null
  reason_details: ReasonDetailsColumn
  failed_at: NullableTime
  /** Notes on the parts of the file that were omitted, once it is ready. */
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
  /** Folder of its files in `media/` and `public/`, and its name in links; null until it is ready. */
  folder: string | null
  retired_at: NullableTime
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

/** Files and folders of the storage that no row names, either yet or any more. */
export interface OrphanedFilesTable {
  key: string
  recorded_at: ColumnType<Date, Date, Date>
}

/** Files that are being moved to the storage, each with its future asset. */
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
  /** A bigint is read as text. */
  bytes: ColumnType<string | number, number, never>
  last_modified_at: Time
  number: number
  language: Language | null
  state: 'uploading' | 'complete' | 'queued' | 'rejected'
  reason: string | null
  reason_details: ReasonDetailsColumn
  /** Titles of the episode, if it is new. */
  titles: JSONColumnType<Partial<LocalizedText> | null, string | null | undefined, string | null>
  updated_at: Time
}

export interface UploadPartsTable {
  upload_id: string
  /** From 0. */
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
