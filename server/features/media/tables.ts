import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Language, Texts } from '#contract/languages.ts'
import type { FilmNote } from './ingest/files/film-notes.ts'
import type { Why } from './ingest/files/unusable-file.ts'

type Time = ColumnType<Date, Date | string | undefined, Date | string>
type MaybeTime = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>

/** Null as well where a file failed before there were keys; `reason` has the sentence. */
type WhyColumn = JSONColumnType<Why | null, string | null | undefined, string | null>

/** `hash` of the caption's normalised text, to detect whether the file beside the episode has changed. */
export interface Caption {
  lang: Language
  hash: string
  /** It was inside the video file; a file beside the episode overrides it. */
  embedded?: true
  /** The first line of its file whose times can't be used: captions were left out. */
  lostLine?: number
}

export type AssetState = 'uploaded' | 'processing' | 'ready' | 'failed'

export interface AssetsTable {
  id: string
  state: AssetState
  progress: Generated<number>
  /** How often it was taken from the queue; the worker that finishes must still have the latest attempt. */
  attempt: Generated<number>
  /** How often it could not be made by our own fault; interruptions do not count. */
  failures: Generated<number>
  /** In English, as in the log. */
  reason: string | null
  why: WhyColumn
  failed_at: MaybeTime
  /** What of the file was left out, once it is ready. */
  notes: JSONColumnType<FilmNote[], string | undefined, string>
  original_path: string | null
  source_name: string
  source_hash: string
  width: number | null
  height: number | null
  duration_ms: number | null
  has_audio: boolean | null
  captions: JSONColumnType<Caption[], string | undefined, string>
  priority: Generated<number>
  /** What the segments are encrypted with, sealed (media-keys.ts). */
  media_key: ColumnType<Buffer | null, Buffer | undefined, Buffer>
  /** The folder of its files in `media/` and `public/`, and what links call it; null until it is ready. */
  folder: string | null
  retired_at: MaybeTime
  created_at: Time
  ready_at: MaybeTime
}

export interface EpisodesTable {
  id: string
  video_id: string
  number: number
  titles: JSONColumnType<Partial<Texts>, string | undefined, string>
  asset_id: string | null
  next_asset_id: string | null
  created_at: Time
}

/** Files and folders of the storage that no row names, yet or any more. */
export interface OrphanedFilesTable {
  key: string
  recorded_at: ColumnType<Date, Date, Date>
}

/** Files on their way into the storage, each with the asset that it is going to be. */
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
  /** Comes as text, being a bigint. */
  bytes: ColumnType<string | number, number, never>
  changed_at: Time
  number: number
  language: Language | null
  state: 'arriving' | 'complete' | 'taken' | 'refused'
  reason: string | null
  why: WhyColumn
  /** Of the episode that it is, should that be new. */
  titles: JSONColumnType<Partial<Texts> | null, string | null | undefined, string | null>
  touched_at: Time
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
