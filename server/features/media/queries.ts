import { sql } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import { preparedLookup, preparedQuery, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import type { Db } from '#server/tables.ts'
import type { UnusableReason } from './ingest/files/unusable-file.ts'

/**
 * SQL condition: true if the episode is playable or is to be converted, false if its only file failed. The query must
 * join `episodes` with their next asset as `coming`.
 */
export const isPlayableOrPending = sql<boolean>`(episodes.asset_id IS NOT NULL OR coming.state IN ('uploaded', 'processing'))`

/** Selects visible episodes, with the columns that access checks and responses need. */
function selectEpisodes(db: Db) {
  return db
    .selectFrom('episodes')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .leftJoin('assets', 'assets.id', 'episodes.asset_id')
    .leftJoin('assets as coming', 'coming.id', 'episodes.next_asset_id')
    .select([
      'episodes.id',
      'episodes.video_id',
      'episodes.number',
      'episodes.titles',
      'episodes.asset_id',
      'assets.folder',
      'videos.free_episodes',
      'videos.episode_cents',
      'videos.video_cents',
      'videos.currency',
      'videos.cover_path',
      'videos.state as video_state',
      'assets.duration_ms',
      'assets.width',
      'assets.height',
      'assets.captions',
      sql<boolean>`assets.media_key IS NOT NULL`.as('encrypted'),
      'coming.progress as coming_progress',
    ])
    .where('videos.state', 'in', ['published', 'archived'])
    .where(isPlayableOrPending)
}
export type EpisodeRow = Awaited<ReturnType<ReturnType<typeof selectEpisodes>['executeTakeFirstOrThrow']>>

/** Selects the encrypted key of the asset with this folder, and the episode that plays the asset, if any. */
export function selectMediaKey(db: Db, folder: string) {
  return db
    .selectFrom('assets')
    .leftJoin('episodes', 'episodes.asset_id', 'assets.id')
    .leftJoin('videos', 'videos.id', 'episodes.video_id')
    .select([
      'assets.media_key',
      'episodes.id',
      'episodes.number',
      'episodes.video_id',
      'videos.free_episodes',
    ])
    .where('assets.folder', '=', folder)
    .executeTakeFirst()
}

const episodeById = preparedLookup((db: Db, { id }: Placeholders<{ id: string }>) =>
  selectEpisodes(db).where('episodes.id', '=', id),
)

export async function selectEpisode(db: Db, id: string): Promise<EpisodeRow | undefined> {
  return (await episodeById(db, { id }))[0]
}

type EpisodesAfterParams = { videoId: string; number: number; limit: number }

const episodesAfter = preparedQuery((db: Db, { videoId, number, limit }: Placeholders<EpisodesAfterParams>) =>
  selectEpisodes(db)
    .where('episodes.video_id', '=', videoId)
    .where('episodes.number', '>', number)
    .orderBy('episodes.number')
    .limit(limit),
)

export function selectEpisodesAfter(db: Db, videoId: string, number: number, limit: number) {
  return episodesAfter(db, { videoId, number, limit })
}

/**
 * Counts a video's episodes. `episode_count` includes those that are not converted yet; `ready_count` has only the
 * playable ones.
 */
export function selectEpisodeCounts(db: Db, videoId: string) {
  return db
    .selectFrom('episodes')
    .leftJoin('assets as coming', 'coming.id', 'episodes.next_asset_id')
    .select([
      sql<number>`count(*)`.as('episode_count'),
      sql<number>`count(*) FILTER (WHERE episodes.asset_id IS NOT NULL)`.as('ready_count'),
    ])
    .where('episodes.video_id', '=', videoId)
    .where(isPlayableOrPending)
    .executeTakeFirstOrThrow()
}

/** Returns whether the video exists and is visible. Its list of episodes may be empty. */
export async function isVideoVisible(db: Db, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('videos')
    .select(sql<number>`1`.as('one'))
    .where('id', '=', id)
    .where('state', 'in', ['published', 'archived'])
    .executeTakeFirst()
  return row !== undefined
}

interface FailedFileRow {
  id: string
  source_name: string
  reason: string | null
  reason_details: UnusableReason | null
  failed_at: Date
  episode_id: string
  number: number
  video_id: string
  titles: LocalizedText
}

/**
 * Selects the failed files that are the next asset of an episode, latest failure first (index `assets_failed`).
 */
export async function selectFailedFiles(
  db: Db,
  after: PagePosition | undefined,
  limit: number,
): Promise<FailedFileRow[]> {
  const older = after ? sql`AND (a.failed_at, a.id) < (${after.at}::timestamptz, ${after.id})` : sql``
  const { rows } = await sql<FailedFileRow>`
    SELECT a.id, a.source_name, a.reason, a.reason_details, a.failed_at, e.id AS episode_id, e.number, v.id AS video_id, v.titles
    FROM assets a JOIN episodes e ON e.next_asset_id = a.id JOIN videos v ON v.id = e.video_id
    WHERE a.state = 'failed' AND a.deleted_at IS NULL ${older}
    ORDER BY a.failed_at DESC, a.id DESC LIMIT ${limit}`.execute(db)
  return rows
}
