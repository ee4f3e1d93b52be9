import { sql } from 'kysely'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Records files before a row names them, so that they are deleted if the process dies in between. */
export async function recordOrphaned(db: Db, keys: readonly string[], recorded_at: Date): Promise<void> {
  if (keys.length === 0) return
  await db
    .insertInto('orphaned_files')
    // A fixed order, so that two transactions cannot deadlock.
    .values(keys.toSorted().map((key) => ({ key, recorded_at })))
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ recorded_at }))
    .execute()
}

/** Deletes records of orphaned files. @returns whether all of them still existed; purged files have none */
export async function removeOrphaned(db: Db, keys: readonly string[]): Promise<boolean> {
  if (keys.length === 0) return true
  const { numAffectedRows } = await sql`
    WITH locked AS (${lockKeys(keys)})
    DELETE FROM orphaned_files USING locked WHERE orphaned_files.key = locked.key`.execute(db)
  return Number(numAffectedRows) === keys.length
}

/** Locks in byte order, as `recordOrphaned` sorts them. */
const lockKeys = (keys: readonly string[]) => sql<{ key: string }>`
  SELECT key FROM orphaned_files WHERE key = ANY(${keys}) ORDER BY key COLLATE "C" FOR UPDATE`

/** Returns which of these files are still recorded. Waits for a transaction that is about to commit a row that names them. */
export async function lockOrphaned(tx: Tx, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const { rows } = await lockKeys(keys).execute(tx)
  return rows.map(({ key }) => key)
}

/** Selects the files recorded before `before`, and whether a row names them now. */
export async function selectOrphaned(db: Db, before: Date): Promise<{ key: string; named: boolean }[]> {
  const { rows } = await sql<{ key: string; named: boolean }>`
    SELECT key, EXISTS (
      SELECT FROM assets
      WHERE (folder = split_part(key, '/', 2) OR (key LIKE 'originals/%' AND id = split_part(split_part(key, '/', 2), '.', 1)))
        AND (key NOT LIKE '%.vtt' OR captions @> jsonb_build_array(jsonb_build_object('lang', substring(key FROM '(\\w+)\\.vtt$'))))
    ) AS named
    FROM orphaned_files WHERE recorded_at < ${before}`.execute(db)
  return rows
}

/** Returns the future asset of an episode's file: the same for each attempt, so that already uploaded parts are reused. */
export async function registerIncomingFile(
  db: Db,
  episode_id: string,
  source_hash: string,
  started_at: Date,
): Promise<string> {
  const { asset_id } = await db
    .insertInto('incoming_files')
    .values({ episode_id, source_hash, asset_id: newId('ast'), started_at })
    .onConflict((conflict) => conflict.columns(['episode_id', 'source_hash']).doUpdateSet({ started_at }))
    .returning('asset_id')
    .executeTakeFirstOrThrow()
  return asset_id
}

/** @returns whether it was still pending; a concurrent upload of the same file may have been first */
export async function removeIncomingFile(tx: Tx, episodeId: string, assetId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('incoming_files')
    .where('episode_id', '=', episodeId)
    .where('asset_id', '=', assetId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function deleteIncomingFiles(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('incoming_files').where('started_at', '<', before).execute()
}

/** Selects which of these assets exist or are being uploaded. */
export async function selectKnownAssets(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM assets WHERE id = ANY(${ids}) UNION SELECT asset_id FROM incoming_files WHERE asset_id = ANY(${ids})`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
