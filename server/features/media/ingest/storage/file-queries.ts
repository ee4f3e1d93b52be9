import { sql } from 'kysely'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'

/**
 * Records storage keys before a row refers to their files. If the process dies before the row is stored, a cleanup
 * deletes the files. Records the real time: if the sandbox moves the site's clock forward, uploads in progress must not
 * look old.
 */
export async function recordOrphaned(db: Db, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const recorded_at = new Date()
  await db
    .insertInto('orphaned_files')
    // Inserts in a fixed order, so that two transactions cannot deadlock.
    .values(keys.toSorted().map((key) => ({ key, recorded_at })))
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ recorded_at }))
    .execute()
}

/**
 * Deletes records of orphaned files.
 * @returns false if a record was missing, because a cleanup has deleted its file
 */
export async function removeOrphaned(db: Db, keys: readonly string[]): Promise<boolean> {
  if (keys.length === 0) return true
  const { numAffectedRows } = await sql`
    WITH locked AS (${lockKeys(keys)})
    DELETE FROM orphaned_files USING locked WHERE orphaned_files.key = locked.key`.execute(db)
  return Number(numAffectedRows) === keys.length
}

/** Locks records in the byte order of their keys, which is the order in which `recordOrphaned` inserts them. */
const lockKeys = (keys: readonly string[]) => sql<{ key: string }>`
  SELECT key FROM orphaned_files WHERE key = ANY(${keys}) ORDER BY key COLLATE "C" FOR UPDATE`

/**
 * Locks the records of these keys and returns the keys that still have a record. If a transaction is removing a record,
 * because a row now refers to the file, waits for the end of that transaction.
 */
export async function lockOrphaned(tx: Tx, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const { rows } = await lockKeys(keys).execute(tx)
  return rows.map(({ key }) => key)
}

/**
 * Selects keys recorded before the time `before`, at most `limit`. `named` is true if a row now refers to the file.
 */
export async function selectOrphaned(
  db: Db,
  before: Date,
  limit: number,
): Promise<{ key: string; named: boolean }[]> {
  const { rows } = await sql<{ key: string; named: boolean }>`
    SELECT key, EXISTS (
      SELECT FROM assets
      WHERE (folder = split_part(key, '/', 2) OR (key LIKE 'originals/%' AND id = split_part(split_part(key, '/', 2), '.', 1)))
        AND (key NOT LIKE '%.vtt' OR captions @> jsonb_build_array(jsonb_build_object('lang', substring(key FROM '(\\w+)\\.vtt$'))))
    ) AS named
    FROM orphaned_files WHERE recorded_at < ${before} LIMIT ${limit}`.execute(db)
  return rows
}

/**
 * Returns the id of the asset that an episode's file will become. Each attempt gets the same id, so that parts that
 * were already uploaded are reused. Records the real time, as `recordOrphaned` does.
 */
export async function registerIncomingFile(db: Db, episode_id: string, source_hash: string): Promise<string> {
  const started_at = new Date()
  const { asset_id } = await db
    .insertInto('incoming_files')
    .values({ episode_id, source_hash, asset_id: newId('ast'), started_at })
    .onConflict((conflict) => conflict.columns(['episode_id', 'source_hash']).doUpdateSet({ started_at }))
    .returning('asset_id')
    .executeTakeFirstOrThrow()
  return asset_id
}

/**
 * Deletes a pending file's record.
 * @returns false if the record is missing, because another process has added the same file
 */
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

/** Selects which of these asset ids exist, or belong to a file that is being moved to the storage. */
export async function selectKnownAssets(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM assets WHERE id = ANY(${ids}) UNION SELECT asset_id FROM incoming_files WHERE asset_id = ANY(${ids})`.execute(
    db,
  )
  return rows.map(({ id }) => id)
}
