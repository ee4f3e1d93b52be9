import { statfs } from 'node:fs/promises'
import { Fault, Refusal } from '#contract/errors.ts'
import type { Language } from '#contract/languages.ts'
import {
  captionEndings,
  partBytes,
  uploadLimits,
  videoEndings,
  type Upload,
} from '#contract/studio/uploads.ts'
import { loadDeskVideo } from '#server/features/catalog/catalog.ts'
import { reasonIn } from '#server/features/media/ingest/unusable-file.ts'
import type { Clock } from '#server/platform/clock.ts'
import { newId } from '#server/platform/ids.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Db, Tx } from '#server/tables.ts'
import * as queries from './upload-queries.ts'
import type { UploadRow } from './upload-queries.ts'

export interface UploadContext {
  db: Db
  storage: Storage
  clock: Clock
}

/** A file as the browser knows it. */
export interface AnnouncedFile {
  video_id: string
  name: string
  bytes: number
  changed_at: string
  number: number
  language?: Language
}

/** Where the parts of uploads lie in the storage. */
export const uploadFiles = {
  all: 'uploads',
  of: (id: string) => `uploads/${id}`,
  part: (id: string, part: number) => `uploads/${id}/${part}`,
  ownerOf: (key: string) => key.split('/')[1] ?? '',
}

const partsOf = (bytes: number) => Math.ceil(bytes / partBytes)

/**
 * Says that a file is to come; of one that came in part before, which parts are there.
 * @throws Refusal notFound; fileNotTaken for a kind or size that is not taken
 */
export async function beginUpload(tx: Tx, file: AnnouncedFile, now: Date, reader: Language): Promise<Upload> {
  await loadDeskVideo(tx, file.video_id)
  checkFile(file)
  const { language = null, changed_at, ...rest } = file
  const upload = { ...rest, language, changed_at: new Date(changed_at), touched_at: now }
  await queries.putUpload(tx, { id: newId('upl'), ...upload })
  const [row] = await queries.selectUploads(tx, { file: upload })
  if (!row) throw new Refusal('notFound')
  return presentUpload(row, reader)
}

function checkFile({ name, bytes, language }: AnnouncedFile): void {
  const ending = name.split('.').at(-1)?.toLowerCase() ?? ''
  const endings: readonly string[] = language ? captionEndings : videoEndings
  if (!endings.includes(ending) || bytes > uploadLimits[language ? 'captions' : 'video'])
    throw new Refusal('fileNotTaken', { field: 'name' })
}

function presentUpload(row: UploadRow, reader: Language): Upload {
  const { id, name, bytes, number, language, state, parts } = row
  return { id, name, bytes: Number(bytes), number, language, state, reason: reasonIn(reader, row), parts }
}

/** The files of a video that are on their way, wait for the worker or were refused. */
export async function listUploads(db: Db, videoId: string, reader: Language): Promise<Upload[]> {
  return (await queries.selectUploads(db, { videoId })).map((row) => presentUpload(row, reader))
}

/** Gives up an upload; its parts go with the next sweep. @throws Refusal notFound; movedOn where the worker has it already */
export async function removeUpload(tx: Tx, id: string): Promise<UploadRow> {
  const [row] = await queries.selectUploads(tx, { id })
  if (!row) throw new Refusal('notFound')
  if (!(await queries.deleteUpload(tx, id))) throw new Refusal('movedOn')
  return row
}

/** So much stays free on the disk, where the database may lie as well: files that come in must not stop the sales. */
const reserveBytes = 2 * 1024 ** 3
const fullRetrySeconds = 60

/** @throws Fault unavailable */
async function refuseWhenFull(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder)
  if (bavail * bsize < reserveBytes)
    throw new Fault('unavailable', 'there is no room for files', fullRetrySeconds)
}

/**
 * Keeps one part of a file. The same part again changes nothing; with the last one the file waits for the worker.
 * @throws Refusal notFound where it was given up; Fault badRequest where the part is none of its parts, unavailable where the
 * disk is nearly full
 */
export async function takePart(
  { db, storage, clock }: UploadContext,
  id: string,
  part: number,
  bytes: Buffer,
): Promise<{ parts: number; complete: boolean }> {
  const [upload] = await queries.selectUploads(db, { id })
  if (!upload) throw new Refusal('notFound')
  const count = partsOf(Number(upload.bytes))
  if (upload.state !== 'arriving') return { parts: count, complete: true }
  const rest = Number(upload.bytes) - part * partBytes
  const isPart = Number.isInteger(part) && part >= 0 && part < count
  if (!isPart || bytes.length !== Math.min(rest, partBytes))
    throw new Fault('badRequest', 'this is no part of the file')
  await refuseWhenFull(storage.workDir)
  await storage.write(uploadFiles.part(id, part), bytes)
  return db.transaction().execute(async (tx) => {
    const now = clock.now()
    const parts = await queries.notePart(tx, id, part, now)
    if (parts === undefined) throw new Refusal('notFound')
    if (parts === count) await queries.setUploadState(tx, id, { state: 'complete' }, now)
    return { parts, complete: parts === count }
  })
}
