import { sql } from 'kysely'
import type { Language, LocalizedText } from '#contract/languages.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'

/** The data that identifies a file on the operator's computer. */
export interface FileKey {
  name: string
  bytes: number
  last_modified_at: Date
}

export interface NewUpload extends FileKey {
  number: number
  language: Language | null
  /** The titles of the episode. Null keeps the existing titles. */
  titles: Partial<LocalizedText> | null
}

/**
 * SQL condition: true if the upload was rejected after too many unexpected errors. Its parts are kept. The state is
 * checked too, because an upload that is still being retried has the same reason key.
 */
const hasFailed = sql<boolean>`(state = 'rejected' AND reason_details ->> 'key' = 'gaveUp')`

const existingParts = sql<
  number[]
>`ARRAY(SELECT part FROM upload_parts WHERE upload_id = uploads.id ORDER BY part)`

/**
 * Inserts uploads of a video. For uploads in progress or waiting for the worker, updates target and titles. Rejected
 * uploads start again, or wait for the worker again if their parts were kept. Processed uploads start again if their
 * result is not used any more: their target has changed, their episode was deleted, or a later file replaced them. The
 * given files must be unique.
 */
export async function upsertUploads(
  tx: Tx,
  videoId: string,
  files: readonly NewUpload[],
  now: Date,
): Promise<void> {
  await tx
    .updateTable('uploads')
    .set({ state: 'complete', reason: null, reason_details: null, updated_at: now })
    .where('video_id', '=', videoId)
    .where(isOneOf(files))
    .where(hasFailed)
    .execute()
  await tx
    .deleteFrom('uploads')
    .where('video_id', '=', videoId)
    .where(sql<boolean>`name = ANY(${files.map(({ name }) => name)})`)
    .where('state', '=', 'rejected')
    .execute()
  await deleteSupersededUploads(tx, videoId, files)
  const rows = files.map(({ titles, ...file }) => ({
    ...file,
    id: newId('upl'),
    video_id: videoId,
    titles: titles && JSON.stringify(titles),
    state: 'uploading' as const,
    updated_at: now,
  }))
  await tx
    .insertInto('uploads')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['video_id', 'name', 'bytes', 'last_modified_at'])
        .doUpdateSet({
          number: sql`excluded.number`,
          language: sql`excluded.language`,
          titles: sql`coalesce(excluded.titles, uploads.titles)`,
          // An upload that waits for the worker keeps its place in the queue.
          updated_at: sql`CASE uploads.state WHEN 'uploading' THEN excluded.updated_at ELSE uploads.updated_at END`,
        })
        .where('uploads.state', 'in', ['uploading', 'complete']),
    )
    .execute()
}

/**
 * SQL condition: true if a processed upload's file is still in use, because its episode exists and no later file
 * replaced it.
 */
const isCurrent = sql<boolean>`(
  EXISTS (SELECT FROM episodes WHERE video_id = uploads.video_id AND number = uploads.number)
  AND NOT EXISTS (SELECT FROM uploads later WHERE later.video_id = uploads.video_id AND later.number = uploads.number
    AND later.language IS NOT DISTINCT FROM uploads.language AND later.state = 'queued'
    AND later.updated_at > uploads.updated_at))`

/** Deletes the processed uploads of these files whose target has changed, or whose file is not in use any more. */
async function deleteSupersededUploads(tx: Tx, videoId: string, files: readonly NewUpload[]): Promise<void> {
  await sql`
    DELETE FROM uploads USING unnest(
      ${files.map(({ name }) => name)}::text[], ${files.map(({ bytes }) => bytes)}::bigint[],
      ${files.map(({ last_modified_at }) => last_modified_at)}::timestamptz[],
      ${files.map(({ number }) => number)}::integer[], ${files.map(({ language }) => language)}::text[]
    ) AS planned (name, bytes, last_modified_at, number, language)
    WHERE uploads.video_id = ${videoId} AND uploads.state = 'queued'
      AND (uploads.name, uploads.bytes, uploads.last_modified_at) = (planned.name, planned.bytes, planned.last_modified_at)
      AND ((uploads.number, uploads.language) IS DISTINCT FROM (planned.number, planned.language)
        OR NOT ${isCurrent})`.execute(tx)
}

/** Selects the uploads of a video that wait for the worker, or whose file is in use, in no particular order. */
export function selectArrivedUploads(db: Db, videoId: string) {
  return db
    .selectFrom('uploads')
    .select(['name', 'bytes', 'last_modified_at', 'number', 'language'])
    .where('video_id', '=', videoId)
    .where((eb) => eb.or([eb('state', '=', 'complete'), eb.and([eb('state', '=', 'queued'), isCurrent])]))
    .execute()
}

function selectUploadColumns(db: Db) {
  return db
    .selectFrom('uploads')
    .select(['id', 'video_id', 'name', 'bytes', 'last_modified_at', 'number', 'language', 'titles'])
    .select(['state', 'reason', 'reason_details', existingParts.as('parts')])
}

export function selectUploads(
  db: Db,
  filter:
    | { id: string }
    | { videoId: string; ids: readonly string[] }
    | { videoId: string; files: readonly FileKey[] },
) {
  const query = selectUploadColumns(db)
  if ('id' in filter) return query.where('id', '=', filter.id).execute()
  const ofVideo = query.where('video_id', '=', filter.videoId)
  if ('ids' in filter) return ofVideo.where(sql<boolean>`id = ANY(${filter.ids})`).execute()
  return ofVideo.where(isOneOf(filter.files)).execute()
}

function isOneOf(files: readonly FileKey[]) {
  const [names, bytes] = [files.map(({ name }) => name), files.map((file) => file.bytes)]
  const changed = files.map(({ last_modified_at }) => last_modified_at)
  return sql<boolean>`(name, bytes, last_modified_at) IN
    (SELECT * FROM unnest(${names}::text[], ${bytes}::bigint[], ${changed}::timestamptz[]))`
}

export type UploadRow = Awaited<ReturnType<typeof selectUploads>>[number]

/**
 * Selects the uploads of a video that are in progress, wait for the worker or were rejected, in the order of episodes.
 */
export function selectOpenUploadsOf(db: Db, videoId: string): Promise<UploadRow[]> {
  return selectUploadColumns(db)
    .where('video_id', '=', videoId)
    .where('state', '!=', 'queued')
    .orderBy('number')
    .orderBy('name')
    .execute()
}

/**
 * Records a part.
 * @returns how many parts exist; undefined if the upload was cancelled
 */
export async function recordPart(tx: Tx, id: string, part: number, now: Date): Promise<number | undefined> {
  const { numUpdatedRows } = await tx
    .updateTable('uploads')
    .set({ updated_at: now })
    .where('id', '=', id)
    .where('state', '=', 'uploading')
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return undefined
  await tx
    .insertInto('upload_parts')
    .values({ upload_id: id, part })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const { parts } = await tx
    .selectFrom('upload_parts')
    .select(sql<number>`count(*)::integer`.as('parts'))
    .where('upload_id', '=', id)
    .executeTakeFirstOrThrow()
  return parts
}

export async function setUploadState(
  db: Db,
  id: string,
  changes: { state: UploadRow['state']; reason?: string | null; reason_details?: string | null },
  now: Date,
): Promise<void> {
  await db
    .updateTable('uploads')
    .set({ ...changes, updated_at: now })
    .where('id', '=', id)
    .execute()
}

/**
 * Deletes uploads that are in progress or were rejected. Completed uploads remain.
 * @returns the ids of the deleted uploads
 */
export async function deleteUploads(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows = await tx
    .deleteFrom('uploads')
    .where(sql<boolean>`id = ANY(${ids})`)
    .where('state', 'in', ['uploading', 'rejected'])
    .returning('id')
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/**
 * Claims the next completed upload and takes its lock on this connection. Captions of a missing episode wait while the
 * episode's video file is being uploaded.
 * @returns undefined if no upload waits, or if another process completed the claimed upload in the meantime
 */
export async function claimUpload(connection: Db): Promise<UploadRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM (
      SELECT id FROM uploads waiting WHERE state = 'complete' AND (
        language IS NULL
        OR EXISTS (SELECT FROM episodes WHERE video_id = waiting.video_id AND number = waiting.number)
        OR NOT EXISTS (SELECT FROM uploads film WHERE film.video_id = waiting.video_id AND film.number = waiting.number
          AND film.language IS NULL AND film.state IN ('uploading', 'complete'))
      ) ORDER BY updated_at, id LIMIT 50
    ) AS next WHERE pg_try_advisory_lock(hashtextextended(id, 471186)) LIMIT 1`.execute(connection)
  if (!rows[0]) return undefined
  // Another process may have completed the upload and released its lock after this query's snapshot.
  const [row] = await selectUploads(connection, { id: rows[0].id })
  return row?.state === 'complete' ? row : undefined
}

/** Returns whether a completed upload waits. */
export async function hasCompleteUploads(db: Db): Promise<boolean> {
  const { rows } = await sql<{ waits: boolean }>`
    SELECT EXISTS (SELECT FROM uploads WHERE state = 'complete') AS waits`.execute(db)
  return rows[0]?.waits ?? false
}

/**
 * Deletes at most `limit` uploads that were last changed before the time `before`, except those that wait for the
 * worker. Skips locked rows, because a locked upload is being changed.
 * @returns how many were deleted
 */
export async function deleteUploadsBefore(tx: Tx, before: Date, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    DELETE FROM uploads WHERE id = ANY(ARRAY(
      SELECT id FROM uploads WHERE updated_at < ${before} AND state <> 'complete' LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ))`.execute(tx)
  return Number(numAffectedRows ?? 0)
}

/** Selects which of these uploads still need their parts. */
export async function selectUploadsWithParts(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('uploads')
    .select('id')
    .where(sql<boolean>`id = ANY(${ids})`)
    .where((eb) => eb.or([eb('state', 'in', ['uploading', 'complete']), hasFailed]))
    .execute()
  return new Set(rows.map(({ id }) => id))
}
