import { open, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { languages, type Language } from '#contract/languages.ts'
import { partBytes } from '#contract/studio/uploads.ts'
import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import { addCaptions } from '#server/features/media/ingest/queue/add-captions.ts'
import { enqueueEpisode } from '#server/features/media/ingest/queue/enqueue-episode.ts'
import { importPriority } from '#server/features/media/ingest/import/import-folder.ts'
import {
  convertCaptions,
  type ConvertedCaptions,
} from '#server/features/media/ingest/captions/convert-captions.ts'
import { checkSource } from '#server/features/media/ingest/convert/probe.ts'
import { selectCaptionsOf } from '#server/features/media/ingest/queue/caption-queries.ts'
import { unlockAll } from '#server/features/media/ingest/asset-queries.ts'
import {
  maxFailures,
  reasonColumns,
  unexpectedFailure,
  UnusableFile,
} from '#server/features/media/ingest/files/unusable-file.ts'
import { ownWorkFolder } from '#server/platform/storage/work-folder.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import { runInBatches } from '#server/platform/database/run-in-batches.ts'
import { isStorageUnavailable, type Storage } from '#server/platform/storage/storage.ts'
import { uploadFiles } from './receive-upload.ts'
import * as queries from './upload-queries.ts'
import type { UploadRow } from './upload-queries.ts'

/**
 * Claims a completed upload, joins its parts and queues the file for conversion. An unusable file is rejected with a
 * readable reason. If the process dies, the upload is processed again. This adds no second asset, because the ingest
 * recognises a file by its content.
 * @returns whether there was an upload to process
 */
export async function processNextUpload(context: IngestContext, signal: AbortSignal): Promise<boolean> {
  return context.db.connection().execute(async (connection) => {
    try {
      const upload = await queries.claimUpload(connection)
      if (!upload) return false
      await processUpload(context, upload, signal)
      return true
    } finally {
      await unlockAll(connection)
    }
  })
}

async function processUpload(context: IngestContext, upload: UploadRow, signal: AbortSignal): Promise<void> {
  const { db, storage, clock, log } = context
  try {
    await (upload.language === null
      ? ingestVideo(context, upload, signal)
      : ingestCaptions(context, upload, upload.language))
    const processed = { state: 'queued', reason: null, reason_details: null } as const
    await queries.setUploadState(db, upload.id, processed, clock.now())
  } catch (error) {
    if (!(error instanceof UnusableFile)) return requeueOrReject(context, upload, error, signal)
    log.warn({ upload: upload.id }, `${upload.name} ${error.message}`)
    await queries.setUploadState(db, upload.id, { state: 'rejected', ...reasonColumns(error) }, clock.now())
  }
  await storage.remove(uploadFiles.of(upload.id))
}

/**
 * Requeues an upload after an unexpected error, behind the other uploads. After `maxFailures` errors, rejects it but
 * keeps its parts. If the operator uploads the same file again, it is processed without being sent again.
 * @throws the error, if the upload is requeued
 */
async function requeueOrReject(
  { db, clock, log }: IngestContext,
  upload: UploadRow,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const { id, name, reason_details: earlier } = upload
  // An interruption or an unreachable storage does not count as a failure, because the file did not cause it.
  if (signal.aborted || isStorageUnavailable(error)) {
    await queries.setUploadState(db, id, { state: 'complete' }, clock.now())
    throw error
  }
  const attempts = earlier?.key === 'gaveUp' ? Number(earlier.attempts) + 1 : 1
  const state = attempts < maxFailures ? 'complete' : 'rejected'
  const failure = unexpectedFailure(error, attempts)
  await queries.setUploadState(db, id, { state, ...reasonColumns(failure) }, clock.now())
  if (state === 'complete') throw error
  log.error({ err: error, upload: id }, `${name} ${failure.message}`)
}

async function ingestVideo(context: IngestContext, upload: UploadRow, signal: AbortSignal): Promise<void> {
  const path = join(ownWorkFolder(context.storage), `${upload.id}${extname(upload.name).toLowerCase()}`)
  try {
    await joinParts(context, upload, path, signal)
    await checkSource(context.programs.ffprobePath, path, signal)
    // Joining and checking a large file takes minutes. In that time, an operator may have corrected the file's episode
    // number or titles.
    const [latest = upload] = await queries.selectUploads(context.db, { id: upload.id })
    const { video_id: videoId, number, name, titles } = latest
    const captions = await readCaptions(context, videoId, number)
    const keptCaptions = new Set(languages.filter((each) => !captions.has(each)))
    const file = { videoId, number, path, name, captions, keptCaptions, priority: importPriority }
    await enqueueEpisode(context, { ...file, ...(titles ? { firstTitles: titles } : {}) }, signal)
  } finally {
    await rm(path, { force: true })
  }
}

async function joinParts(
  { storage }: IngestContext,
  { id, bytes }: UploadRow,
  path: string,
  signal: AbortSignal,
): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (let part = 0; part * partBytes < Number(bytes); part++) {
      signal.throwIfAborted()
      await file.writeFile(await readPart(storage, id, part))
    }
  } finally {
    await file.close()
  }
}

/**
 * Reads a part of an upload.
 * @throws UnusableFile if the part is missing, as can happen after a restore
 */
async function readPart(storage: Storage, id: string, part: number): Promise<Buffer> {
  return storage.read(uploadFiles.part(id, part)).catch((error: unknown) => {
    if (Object(error).code !== 'ENOENT') throw error
    throw new UnusableFile({ key: 'incomplete' })
  })
}

/**
 * Reads the captions that remain when the episode's video file is replaced: the captions of its latest asset, except
 * embedded ones.
 */
async function readCaptions(
  { db, storage }: IngestContext,
  videoId: string,
  number: number,
): Promise<Map<Language, ConvertedCaptions>> {
  const captionsByLanguage = new Map<Language, ConvertedCaptions>()
  const { assetId, captions } = await selectCaptionsOf(db, videoId, number)
  for (const { lang, embedded, omittedLine } of captions) {
    if (embedded) continue
    const text = String(await storage.read(assetFiles.originalCaption(assetId, lang)))
    captionsByLanguage.set(lang, { text, omittedLine })
  }
  return captionsByLanguage
}

async function ingestCaptions(context: IngestContext, upload: UploadRow, language: Language): Promise<void> {
  const converted = convertCaptions(await readPart(context.storage, upload.id, 0))
  const { video_id: videoId, number } = upload
  if (!(await addCaptions(context, { videoId, number, language, converted })))
    throw new UnusableFile({ key: 'noEpisode', number })
}

/** Uploads that are not continued for this long are discarded. */
const abandonedAfterMs = 7 * 24 * 3_600_000
/** Time after which a part without an open upload is orphaned. A part is stored just before its row is committed. */
const orphanAgeMs = 3_600_000

/** Discards abandoned uploads, and deletes the parts that are not needed. */
export async function purgeUploads({ db, storage, clock }: IngestContext): Promise<void> {
  const before = new Date(clock.now().getTime() - abandonedAfterMs)
  await runInBatches(db, (tx, limit) => queries.deleteUploadsBefore(tx, before, limit), { limit: 1000 })
  const old = new Set<string>()
  // The storage states real times, but the sandbox may move the site's clock forward.
  const orphanedBefore = Date.now() - orphanAgeMs
  for await (const { key, modifiedAt } of storage.list(uploadFiles.all))
    if (modifiedAt.getTime() < orphanedBefore) old.add(uploadFiles.uploadIdOf(key))
  const needed = await queries.selectUploadsWithParts(db, [...old])
  for (const id of old) if (!needed.has(id)) await storage.remove(uploadFiles.of(id))
}
