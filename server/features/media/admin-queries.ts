import { sql } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Selects episodes with their current asset and their next asset (`coming`), whatever the state of their video. */
function selectAdminEpisodes(db: Db) {
  return db
    .selectFrom('episodes')
    .leftJoin('assets', 'assets.id', 'episodes.asset_id')
    .leftJoin('assets as coming', 'coming.id', 'episodes.next_asset_id')
    .select(['episodes.id', 'episodes.video_id', 'episodes.number', 'episodes.titles', 'episodes.asset_id'])
    .select([
      'episodes.next_asset_id',
      'assets.duration_ms',
      'assets.captions',
      'assets.notes',
      'assets.source_name',
      'assets.folder',
    ])
    .select([
      sql<boolean>`assets.media_key IS NOT NULL`.as('encrypted'),
      'coming.state as coming_state',
      'coming.progress as coming_progress',
      'coming.reason as coming_reason',
      'coming.reason_details as coming_reason_details',
      'coming.original_path as coming_path',
      'coming.source_name as coming_name',
      'coming.captions as coming_captions',
    ])
}
export type AdminEpisodeRow = Awaited<
  ReturnType<ReturnType<typeof selectAdminEpisodes>['executeTakeFirstOrThrow']>
>

export function selectAdminEpisodesOf(db: Db, videoId: string): Promise<AdminEpisodeRow[]> {
  return selectAdminEpisodes(db).where('episodes.video_id', '=', videoId).orderBy('episodes.number').execute()
}

export function selectAdminEpisode(db: Db, id: string): Promise<AdminEpisodeRow | undefined> {
  return selectAdminEpisodes(db).where('episodes.id', '=', id).executeTakeFirst()
}

/** Selects an episode and locks it for the transaction. */
export function lockAdminEpisode(tx: Tx, id: string): Promise<AdminEpisodeRow | undefined> {
  return selectAdminEpisodes(tx).where('episodes.id', '=', id).forUpdate('episodes').executeTakeFirst()
}

/** Locks the video of an episode. Lock order: a video before its episodes. */
export async function lockVideoOfEpisode(tx: Tx, episodeId: string): Promise<void> {
  await tx
    .selectFrom('episodes')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .select('videos.id')
    .where('episodes.id', '=', episodeId)
    .forNoKeyUpdate('videos')
    .execute()
}

export async function updateEpisodeTitles(
  tx: Tx,
  changed: readonly { id: string; titles: Partial<LocalizedText> }[],
): Promise<void> {
  const [ids, titles] = [changed.map(({ id }) => id), changed.map((each) => JSON.stringify(each.titles))]
  await sql`
    UPDATE episodes SET titles = changed.titles FROM unnest(${ids}::text[], ${titles}::jsonb[]) changed(id, titles)
    WHERE episodes.id = changed.id`.execute(tx)
}

export async function deleteEpisode(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('episodes').where('id', '=', id).execute()
}

/** Selects a video's episodes in order and locks them for the transaction. */
export function lockEpisodes(tx: Tx, videoId: string) {
  return tx
    .selectFrom('episodes')
    .select(['id', 'number', 'titles'])
    .where('video_id', '=', videoId)
    .orderBy('number')
    .forUpdate()
    .execute()
}

/** A number greater than any episode number. */
const temporaryNumberOffset = 1_000_000

/**
 * Renumbers episodes. Assigns temporary numbers first, because two episodes of a video must never have the same number.
 */
export async function renumberEpisodes(
  tx: Tx,
  videoId: string,
  { ids, numbers }: { ids: readonly string[]; numbers: readonly number[] },
): Promise<void> {
  await tx
    .updateTable('episodes')
    .set((eb) => ({ number: eb('number', '+', temporaryNumberOffset) }))
    .where('video_id', '=', videoId)
    .execute()
  await sql`
    UPDATE episodes SET number = ordered.number FROM unnest(${ids}::text[], ${numbers}::integer[]) ordered(id, number)
    WHERE episodes.id = ordered.id`.execute(tx)
}

/**
 * Counts, for each of these videos, the episodes whose next asset has failed. Videos without such episodes are omitted.
 */
export async function countFailedEpisodes(db: Db, videoIds: readonly string[]): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('episodes')
    .innerJoin('assets', 'assets.id', 'episodes.next_asset_id')
    .select(['video_id', sql<number>`count(*)::integer`.as('failed')])
    .where(sql<boolean>`video_id = ANY(${videoIds})`)
    .where('assets.state', '=', 'failed')
    .groupBy('video_id')
    .execute()
  return new Map(rows.map(({ video_id, failed }) => [video_id, failed]))
}
