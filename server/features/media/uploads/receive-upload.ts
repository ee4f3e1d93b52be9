import { statfs } from 'node:fs/promises'
import { Fault, Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import { partBytes, type CompletedUpload, type Upload } from '#contract/studio/uploads.ts'
import { loadAdminVideo } from '#server/features/catalog/catalog.ts'
import { localizeReason } from '#server/features/media/ingest/files/unusable-file.ts'
import type { Clock } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './upload-queries.ts'
import type { UploadRow } from './upload-queries.ts'

export interface UploadContext {
  db: Db
  storage: Storage
  clock: Clock
}

/** Paths of upload parts in the storage. */
export const uploadFiles = {
  all: 'uploads',
  of: (id: string) => `uploads/${id}`,
  part: (id: string, part: number) => `uploads/${id}/${part}`,
  uploadIdOf: (key: string) => key.split('/')[1] ?? '',
}

const countParts = (bytes: number) => Math.ceil(bytes / partBytes)

/** Converts an upload's row to the contract's form. */
export function presentUpload(row: UploadRow, operatorLanguage: Language): Upload {
  const { id, name, bytes, number, language, state, parts } = row
  return {
    id,
    name,
    bytes: Number(bytes),
    number,
    language,
    state,
    reason: state === 'rejected' ? localizeReason(operatorLanguage, row) : null,
    parts,
  }
}

/** Lists a video's uploads that are in progress, wait for the worker or were rejected. */
export async function listUploads(db: Db, videoId: string, operatorLanguage: Language): Promise<Upload[]> {
  return (await queries.selectOpenUploadsOf(db, videoId)).map((row) => presentUpload(row, operatorLanguage))
}

/** Lists the files of a video that were uploaded completely, so that these files are not sent again. */
export async function listArrivedUploads(db: Db, videoId: string): Promise<CompletedUpload[]> {
  const rows = await queries.selectArrivedUploads(db, videoId)
  return rows.map((row) => ({
    ...row,
    bytes: Number(row.bytes),
    last_modified_at: row.last_modified_at.toISOString(),
  }))
}

/**
 * Cancels uploads of a video. The next cleanup deletes their parts. Completed uploads are not cancelled, and deleted
 * ones are ignored.
 * @throws Refusal notFound
 */
export async function removeUploads(
  tx: Tx,
  videoId: string,
  ids: readonly string[],
): Promise<{ removed: UploadRow[]; notRemoved: UploadRow[] }> {
  // Takes locks in the same order as `startUploads`, to prevent a deadlock.
  await loadAdminVideo(tx, videoId, { lock: true })
  const rows = await queries.selectUploads(tx, { videoId, ids })
  const deletedIds = await queries.deleteUploads(
    tx,
    rows.map(({ id }) => id),
  )
  const remainingIds = rows.map(({ id }) => id).filter((id) => !deletedIds.has(id))
  // Uploads that were cancelled concurrently do not exist any more.
  const notRemoved =
    remainingIds.length > 0 ? await queries.selectUploads(tx, { videoId, ids: remainingIds }) : []
  return { removed: rows.filter(({ id }) => deletedIds.has(id)), notRemoved }
}

/** Free space that uploads leave on the disk. The database may use the same disk, and a full disk would stop sales. */
const reserveBytes = 2 * 1024 ** 3
const fullRetrySeconds = 60

/**
 * Checks that the disk has space for uploads.
 * @throws Fault unavailable
 */
async function assertDiskSpace(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < reserveBytes)
    throw new Fault('unavailable', 'the disk has no space for uploads', fullRetrySeconds)
}

/**
 * Stores one part of an upload. Sending a part again changes nothing. After the last missing part, the upload is
 * complete and waits for the worker.
 * @throws Refusal notFound if the upload was cancelled; Fault badRequest if the part's number or size is wrong; Fault
 * unavailable if the disk is nearly full
 */
export async function receivePart(
  { db, storage, clock }: UploadContext,
  id: string,
  part: number,
  bytes: Buffer,
): Promise<{ parts: number; complete: boolean }> {
  const [upload] = await queries.selectUploads(db, { id })
  if (!upload) throw new Refusal('notFound')
  const count = countParts(Number(upload.bytes))
  if (upload.state !== 'uploading') return { parts: count, complete: true }
  const remainingBytes = Number(upload.bytes) - part * partBytes
  const isPart = Number.isInteger(part) && part >= 0 && part < count
  if (!isPart || bytes.length !== Math.min(remainingBytes, partBytes))
    throw new Fault('badRequest', 'the part has a wrong number or size')
  await assertDiskSpace(storage.workDir)
  await storage.write(uploadFiles.part(id, part), bytes)
  return inTransaction(db, async (tx) => {
    const now = clock.now()
    const parts = await queries.recordPart(tx, id, part, now)
    if (parts === undefined) throw new Refusal('notFound')
    if (parts === count) await queries.setUploadState(tx, id, { state: 'complete' }, now)
    return { parts, complete: parts === count }
  })
}
