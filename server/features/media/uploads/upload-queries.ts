import { sql } from 'kysely'
import type { Language } from '#contract/languages.ts'
import type { Db, Tx } from '#server/tables.ts'

export interface NewUpload {
  id: string
  video_id: string
  name: string
  bytes: number
  changed_at: Date
  number: number
  language: Language | null
  touched_at: Date
}

const partsThere = sql<
  number[]
>`ARRAY(SELECT part FROM upload_parts WHERE upload_id = uploads.id ORDER BY part)`

/** Inserts an upload, or gives the one of the same file; its place among the episodes is brought up to date. One that was refused begins anew. */
export async function putUpload(tx: Tx, upload: NewUpload): Promise<void> {
  await tx
    .deleteFrom('uploads')
    .where('video_id', '=', upload.video_id)
    .where('name', '=', upload.name)
    .where('state', '=', 'refused')
    .execute()
  const { number, language, touched_at } = upload
  await tx
    .insertInto('uploads')
    .values({ ...upload, state: 'arriving', reason: null })
    .onConflict((conflict) =>
      conflict
        .columns(['video_id', 'name', 'bytes', 'changed_at'])
        .doUpdateSet({ number, language, touched_at })
        .where('uploads.state', '=', 'arriving'),
    )
    .execute()
}

export function selectUploads(
  db: Db,
  by: { id: string } | { videoId: string } | { file: Omit<NewUpload, 'id'> },
) {
  const query = db
    .selectFrom('uploads')
    .select(['id', 'video_id', 'name', 'bytes', 'number', 'language', 'state', 'reason', 'why'])
    .select(partsThere.as('parts'))
  if ('id' in by) return query.where('id', '=', by.id).execute()
  if ('videoId' in by)
    return query
      .where('video_id', '=', by.videoId)
      .where('state', '!=', 'taken')
      .orderBy('number')
      .orderBy('name')
      .execute()
  const { video_id, name, bytes, changed_at } = by.file
  return query
    .where('video_id', '=', video_id)
    .where('name', '=', name)
    .where('bytes', '=', bytes)
    .where('changed_at', '=', changed_at)
    .execute()
}
export type UploadRow = Awaited<ReturnType<typeof selectUploads>>[number]

/** Notes that a part is there. @returns how many are; undefined where the upload has been given up */
export async function notePart(tx: Tx, id: string, part: number, now: Date): Promise<number | undefined> {
  const { numUpdatedRows } = await tx
    .updateTable('uploads')
    .set({ touched_at: now })
    .where('id', '=', id)
    .where('state', '=', 'arriving')
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
  changes: { state: UploadRow['state']; reason?: string; why?: string },
  now: Date,
): Promise<void> {
  await db
    .updateTable('uploads')
    .set({ ...changes, touched_at: now })
    .where('id', '=', id)
    .execute()
}

/** @returns whether it was there, and not the worker's already */
export async function deleteUpload(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('uploads')
    .where('id', '=', id)
    .where('state', 'in', ['arriving', 'refused'])
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/**
 * The next file that came in whole, with its lock on this connection. Captions wait for the file of their episode as long as
 * that is on its way.
 */
export async function claimUpload(connection: Db): Promise<UploadRow | undefined> {
  const { rows } = await sql<{ id: string }>`
    SELECT id FROM (
      SELECT id FROM uploads waiting WHERE state = 'complete' AND (
        language IS NULL
        OR EXISTS (SELECT FROM episodes WHERE video_id = waiting.video_id AND number = waiting.number)
        OR NOT EXISTS (SELECT FROM uploads film WHERE film.video_id = waiting.video_id AND film.number = waiting.number
          AND film.language IS NULL AND film.state IN ('arriving', 'complete'))
      ) ORDER BY touched_at, id LIMIT 50
    ) AS next WHERE pg_try_advisory_lock(hashtextextended(id, 471186)) LIMIT 1`.execute(connection)
  if (!rows[0]) return undefined
  const [row] = await selectUploads(connection, { id: rows[0].id })
  return row
}

/** Forgets what nobody has touched since a moment. */
export async function deleteUploadsBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('uploads').where('touched_at', '<', before).where('state', '!=', 'complete').execute()
}

/** Which of these are still needed: on their way, or waiting for the worker. */
export async function selectOpenUploads(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('uploads')
    .select('id')
    .where(sql<boolean>`id = ANY(${ids})`)
    .where('state', 'in', ['arriving', 'complete'])
    .execute()
  return new Set(rows.map(({ id }) => id))
}
