import { sql } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import { noBackupRunsQuery } from '#server/platform/database/dump-tables.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'
import { isPlayableOrPending } from '#server/features/media/queries.ts'
import type { AssetState, Caption } from '#server/features/media/tables.ts'

/**
 * An asset claimed from the queue. Later updates compare `attempt`, so they fail if another worker has claimed the
 * asset in between.
 */
export interface ClaimedAsset {
  id: string
  attempt: number
  failures: number
  original_path: string
  source_name: string
}

/** Key of an asset's advisory lock. The worker of the asset holds this lock on a dedicated connection. */
const advisoryLockKey = sql`hashtextextended(id, 471185)`

/**
 * Claims the next waiting asset (highest priority first, then the oldest) and takes its advisory lock on this
 * connection. If `assetIds` is given, considers only these assets.
 */
export async function claimNext(
  connection: Db,
  assetIds?: readonly string[],
): Promise<ClaimedAsset | undefined> {
  const condition = assetIds ? sql`id = ANY(${assetIds})` : sql`true`
  const { rows } = await sql<ClaimedAsset>`
    WITH next AS (
      SELECT id FROM assets WHERE state = 'uploaded' AND original_path IS NOT NULL AND deleted_at IS NULL AND ${condition}
      ORDER BY priority DESC, created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
    ), locked AS MATERIALIZED (
      SELECT id FROM next WHERE pg_try_advisory_lock(${advisoryLockKey})
    )
    UPDATE assets SET state = 'processing', progress = 0, attempt = attempt + 1
    FROM locked WHERE assets.id = locked.id
    RETURNING assets.id, attempt, failures, original_path, source_name`.execute(connection)
  return rows[0]
}

/** Returns whether any asset waits for a worker or is `processing`. This includes assets whose worker has died. */
export async function hasOpenAssets(db: Db): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    SELECT EXISTS (SELECT FROM assets WHERE state = 'uploaded' AND original_path IS NOT NULL AND deleted_at IS NULL)
      OR EXISTS (SELECT FROM assets WHERE state = 'processing') AS open`.execute(db)
  return rows[0]?.open ?? false
}

export async function unlockAll(connection: Db): Promise<void> {
  await sql`SELECT pg_advisory_unlock_all()`.execute(connection)
}

/**
 * Requeues assets that are `processing` although no worker holds their lock, because their worker has died. Returns
 * their ids.
 */
export async function requeueAbandoned(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH abandoned AS MATERIALIZED (
      SELECT id FROM (SELECT id FROM assets WHERE state = 'processing' FOR UPDATE SKIP LOCKED) AS processing
      WHERE pg_try_advisory_xact_lock(${advisoryLockKey})
    )
    UPDATE assets SET state = 'uploaded', progress = 0 FROM abandoned WHERE assets.id = abandoned.id RETURNING assets.id`.execute(
    tx,
  )
  return rows.map(({ id }) => id)
}

export interface AssetChanges {
  state: AssetState
  progress?: number
  reason?: string | null
  reason_details?: string | null
  failed_at?: Date
  width?: number
  height?: number
  duration_ms?: number
  has_audio?: boolean
  notes?: string
  ready_at?: Date
  failures?: number
  folder?: string
}

/**
 * Updates an asset, which locks its row, if the asset is still in state `from` and in this attempt. Otherwise returns
 * undefined.
 */
export function updateAssetState(
  db: Db,
  asset: { id: string; attempt: number },
  from: AssetState,
  changes: AssetChanges,
) {
  return db
    .updateTable('assets')
    .set(changes)
    .where('id', '=', asset.id)
    .where('state', '=', from)
    .where('attempt', '=', asset.attempt)
    .returning(['id', 'captions'])
    .executeTakeFirst()
}

/** Requeues a failed asset and resets its progress, failures and reason. Returns false if it cannot be requeued. */
export async function requeueFailed(tx: Tx, id: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('assets')
    .set({ state: 'uploaded', progress: 0, failures: 0, reason: null, reason_details: null })
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .where('original_path', 'is not', null)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns whether an asset is still being processed by this attempt. */
export async function isStillClaimed(db: Db, asset: { id: string; attempt: number }): Promise<boolean> {
  const row = await db
    .selectFrom('assets')
    .select('id')
    .where('id', '=', asset.id)
    .where('state', '=', 'processing')
    .where('attempt', '=', asset.attempt)
    .executeTakeFirst()
  return row !== undefined
}

export interface NewAsset {
  id: string
  original_path: string | null
  source_name: string
  source_hash: string
  captions: Caption[]
  priority: number
}

export async function insertAsset(db: Db, asset: NewAsset): Promise<void> {
  await db
    .insertInto('assets')
    .values({ ...asset, state: 'uploaded', captions: JSON.stringify(asset.captions) })
    .execute()
}

/** Creates the episode if it does not exist. Otherwise updates its titles, if given. Returns its id. */
export async function upsertEpisode(
  tx: Tx,
  episode: { videoId: string; number: number; titles?: object | undefined },
): Promise<string> {
  const titleValues = episode.titles && { titles: JSON.stringify(episode.titles) }
  const { number } = episode
  const { id } = await tx
    .insertInto('episodes')
    .values({ id: newId('ep'), video_id: episode.videoId, number, ...titleValues })
    .onConflict((conflict) => conflict.columns(['video_id', 'number']).doUpdateSet(titleValues ?? { number }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Adds titles to an episode in the languages in which it has none. */
export async function addMissingTitles(tx: Tx, id: string, titles: Partial<LocalizedText>): Promise<void> {
  await sql`UPDATE episodes SET titles = ${JSON.stringify(titles)}::jsonb || titles WHERE id = ${id}`.execute(
    tx,
  )
}

/** Selects an episode's current asset and its next asset (`coming`). Locks the episode's row. */
export function selectEpisodeAssets(tx: Tx, id: string) {
  return tx
    .selectFrom('episodes')
    .leftJoin('assets as current', 'current.id', 'episodes.asset_id')
    .leftJoin('assets as coming', 'coming.id', 'episodes.next_asset_id')
    .select([
      'current.id as current_id',
      'current.source_hash as current_hash',
      'coming.id as coming_id',
      'coming.source_hash as coming_hash',
      'coming.state as coming_state',
    ])
    .where('episodes.id', '=', id)
    .forUpdate('episodes')
    .executeTakeFirstOrThrow()
}

export async function setNextAsset(tx: Tx, episodeId: string, assetId: string | null): Promise<void> {
  await tx.updateTable('episodes').set({ next_asset_id: assetId }).where('id', '=', episodeId).execute()
}

/** Locks the video of the episode whose next asset this is. Lock order: a video before its episodes. */
export async function lockVideoOfAsset(tx: Tx, assetId: string): Promise<void> {
  await tx
    .selectFrom('episodes')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .select('videos.id')
    .where('next_asset_id', '=', assetId)
    .forNoKeyUpdate('videos')
    .execute()
}

/**
 * Makes the next asset of an episode its current asset.
 * @returns the episode's video, number and previous asset; undefined if the asset is not the next asset of any episode
 */
export async function switchEpisode(
  tx: Tx,
  assetId: string,
): Promise<{ videoId: string; number: number; previousAssetId: string | null } | undefined> {
  const episode = await tx
    .selectFrom('episodes')
    .select(['id', 'video_id', 'number', 'asset_id'])
    .where('next_asset_id', '=', assetId)
    .forUpdate()
    .executeTakeFirst()
  if (!episode) return undefined
  await tx
    .updateTable('episodes')
    .set({ asset_id: assetId, next_asset_id: null })
    .where('id', '=', episode.id)
    .execute()
  return { videoId: episode.video_id, number: episode.number, previousAssetId: episode.asset_id }
}

export async function softDeleteAsset(db: Db, id: string, now: Date): Promise<void> {
  await db
    .updateTable('assets')
    .set({ deleted_at: now })
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .execute()
}

export async function updateProgress(
  db: Db,
  asset: { id: string; attempt: number },
  progress: number,
): Promise<void> {
  await db
    .updateTable('assets')
    .set({ progress })
    .where('id', '=', asset.id)
    .where('state', '=', 'processing')
    .where('attempt', '=', asset.attempt)
    .execute()
}

/** Selects the video and the episode number of an asset that is the current or next asset of an episode. */
export function selectVideoOfAsset(db: Db, assetId: string) {
  return db
    .selectFrom('episodes')
    .innerJoin('videos', 'videos.id', 'episodes.video_id')
    .select(['videos.id', 'episodes.number', 'videos.free_episodes'])
    .where((eb) => eb.or([eb('episodes.next_asset_id', '=', assetId), eb('episodes.asset_id', '=', assetId)]))
    .executeTakeFirst()
}

/**
 * Counts a video's playable and pending episodes. `progress` is their average conversion progress in percent. A
 * playable episode counts as 100. `progress` is null if all episodes are playable.
 */
export async function countEpisodes(
  db: Db,
  videoId: string,
): Promise<{ count: number; progress: number | null }> {
  const row = await db
    .selectFrom('episodes')
    .leftJoin('assets as coming', 'coming.id', 'episodes.next_asset_id')
    .select([
      sql<number>`count(*)`.as('count'),
      sql<number>`count(*) FILTER (WHERE episodes.asset_id IS NULL)`.as('missing'),
      sql<
        number | null
      >`floor(avg(CASE WHEN episodes.asset_id IS NULL THEN coming.progress ELSE 100 END))::integer`.as(
        'progress',
      ),
    ])
    .where('episodes.video_id', '=', videoId)
    .where(isPlayableOrPending)
    .executeTakeFirstOrThrow()
  return { count: row.count, progress: row.missing === 0 ? null : row.progress }
}

export function selectAssets(db: Db, ids: readonly string[]) {
  return db
    .selectFrom('assets')
    .select(['id', 'state', 'progress', 'reason', 'notes'])
    .where(sql<boolean>`id = ANY(${ids})`)
    .execute()
}

/** Returns whether a backup is running. No file may be deleted before it ends. */
export async function isBackupRunning(db: Db): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`${sql.raw(noBackupRunsQuery)}`.execute(db)
  return rows[0]?.free === false
}

/** Selects assets that were soft-deleted before the time `before` and that no episode refers to, at most `limit`. */
export function selectDeletedAssets(db: Db, before: Date, limit: number) {
  return db
    .selectFrom('assets')
    .select(['id', 'folder', 'original_path', 'captions'])
    .where('deleted_at', '<', before)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('episodes')
            .select('episodes.id')
            .where((or) =>
              or.or([
                or('episodes.asset_id', '=', or.ref('assets.id')),
                or('episodes.next_asset_id', '=', or.ref('assets.id')),
              ]),
            ),
        ),
      ),
    )
    .limit(limit)
    .execute()
}

export async function storeMediaKey(tx: Tx, id: string, media_key: Buffer): Promise<void> {
  await tx.updateTable('assets').set({ media_key }).where('id', '=', id).execute()
}

export async function deleteAsset(db: Db, id: string): Promise<void> {
  await db.deleteFrom('assets').where('id', '=', id).execute()
}

/** Selects the numbers of a video's playable episodes. */
export async function selectPlayingNumbers(db: Db, videoId: string): Promise<number[]> {
  const rows = await db
    .selectFrom('episodes')
    .select('number')
    .where('video_id', '=', videoId)
    .where('asset_id', 'is not', null)
    .orderBy('number')
    .execute()
  return rows.map(({ number }) => number)
}
