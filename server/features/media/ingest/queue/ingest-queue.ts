import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { recordEpisodes } from '#server/features/catalog/catalog.ts'
import { isStorageUnavailable } from '#server/platform/storage/storage.ts'
import type { Db } from '#server/tables.ts'
import { ClaimLost, claimNext, requeue, markFailed, type Claim } from './asset-states.ts'
import { encryptSegments } from '#server/features/media/ingest/convert/encrypt-segments.ts'
import { publishAsset } from './publish-asset.ts'
import * as queries from '#server/features/media/ingest/asset-queries.ts'
import type { ClaimedAsset } from '#server/features/media/ingest/asset-queries.ts'
import type { BackoffOptions } from '#server/features/media/ingest/files/exponential-backoff.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import { transcode, type TranscodeResult } from '#server/features/media/ingest/convert/transcode.ts'
import {
  maxFailures,
  unexpectedFailure,
  UnusableFile,
} from '#server/features/media/ingest/files/unusable-file.ts'
import { ownWorkFolder } from '#server/platform/storage/work-folder.ts'

export interface WorkOptions {
  signal: AbortSignal
  /** Priority of the process: 0 is normal, 19 the lowest. */
  niceness: number
  /** If given, only these assets are processed. */
  assetIds?: readonly string[]
  onProgress?: (assetId: string, percent: number) => void
  /** Delays between retries while the storage is unreachable. */
  backoff?: BackoffOptions
}

const progressIntervalMs = 1000

/**
 * Claims one asset from the queue and converts it. An unusable file is marked as failed, with its reason. After an
 * abort or a server error, the asset is requeued.
 * @returns the asset's id, or undefined if no asset waits
 * @throws the signal's reason when aborted; server errors
 */
export async function processNextAsset(
  context: IngestContext,
  options: WorkOptions,
): Promise<string | undefined> {
  options.signal.throwIfAborted()
  // The advisory lock belongs to this connection. If this process dies, even by kill -9, PostgreSQL releases the asset
  // at once.
  return context.db.connection().execute(async (connection) => {
    const asset = await claimNext(connection, options.assetIds)
    if (!asset) return undefined
    try {
      await processAsset(context, asset, options)
    } finally {
      await queries.unlockAll(connection)
    }
    return asset.id
  })
}

async function processAsset(
  context: IngestContext,
  asset: ClaimedAsset,
  options: WorkOptions,
): Promise<void> {
  const { db, log } = context
  const folder = await mkdtemp(join(ownWorkFolder(context.storage), 'asset-'))
  const started = performance.now()
  try {
    const result = await transcodeAsset(context, asset, folder, options)
    const key = context.mediaKeys.encrypts ? context.mediaKeys.generate() : undefined
    if (key) await encryptSegments(join(folder, 'media'), key)
    await publishAsset(context, asset, { folder, result, key }, options.signal)
    log.debug(
      { asset: asset.id, source: asset.source_name, ms: Math.round(performance.now() - started) },
      'An episode is ready',
    )
  } catch (error) {
    if (error instanceof ClaimLost) return log.warn({ asset: asset.id }, error.message)
    await releaseAsset(context, asset, error, options.signal)
    await refreshVideo(db, asset.id)
    if (!(error instanceof UnusableFile)) throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function releaseAsset(
  { db, clock, log }: IngestContext,
  asset: ClaimedAsset,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (error instanceof UnusableFile) {
    log.warn({ asset: asset.id }, `${asset.source_name} ${error.message}`)
    return markFailed(db, asset, error, clock.now())
  }
  // An interruption or an unreachable storage does not count as a failure, because the file did not cause it.
  if (signal.aborted || isStorageUnavailable(error)) return requeue(db, asset)
  const failures = asset.failures + 1
  if (failures < maxFailures) return requeue(db, asset, failures)
  return markFailed(db, asset, unexpectedFailure(error, failures), clock.now())
}

async function transcodeAsset(
  { db, storage, programs, log }: IngestContext,
  asset: ClaimedAsset,
  folder: string,
  options: WorkOptions,
): Promise<TranscodeResult> {
  let lastReport = { percent: -1, at: -Infinity }
  const onProgress = (percent: number) => {
    options.onProgress?.(asset.id, percent)
    if (percent === lastReport.percent || performance.now() - lastReport.at < progressIntervalMs) return
    lastReport = { percent, at: performance.now() }
    recordProgress(db, asset, percent).catch((error: unknown) =>
      log.warn({ err: error }, 'The progress could not be recorded'),
    )
  }
  const input = await storage.getLocalPath(asset.original_path, folder, options.signal)
  return transcode({
    programs,
    input,
    folder,
    niceness: options.niceness,
    signal: options.signal,
    onProgress,
  })
}

async function recordProgress(db: Db, claim: Claim, percent: number): Promise<void> {
  await queries.updateProgress(db, claim, percent)
  await refreshVideo(db, claim.id)
}

async function refreshVideo(db: Db, assetId: string): Promise<void> {
  const video = await queries.selectVideoOfAsset(db, assetId)
  if (video) await recordEpisodes(db, video.id, await queries.countEpisodes(db, video.id))
}
