import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { recordEpisodes } from '#server/features/catalog/catalog.ts'
import { isStorageAway } from '#server/platform/storage/storage.ts'
import type { Db } from '#server/tables.ts'
import { ClaimLost, claimNext, giveBack, markFailed, type Claim } from './asset-states.ts'
import { encryptSegments } from '#server/features/media/ingest/convert/encrypt-segments.ts'
import { publishAsset } from './publish-asset.ts'
import * as queries from '#server/features/media/ingest/queries.ts'
import type { ClaimedAsset } from '#server/features/media/ingest/queries.ts'
import type { BackoffOptions } from '#server/features/media/ingest/files/exponential-backoff.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'
import { transcode, type Transcoded } from '#server/features/media/ingest/convert/transcode.ts'
import { quoted, UnusableFile } from '#server/features/media/ingest/files/unusable-file.ts'
import { ownWorkFolder } from '#server/features/media/ingest/files/work-folder.ts'

export interface WorkOptions {
  signal: AbortSignal
  /** 0 is normal, 19 the lowest priority. */
  niceness: number
  /** Limits the run to these assets. */
  among?: readonly string[]
  onProgress?: (assetId: string, percent: number) => void
  /** Delays while the storage is unreachable. */
  rest?: BackoffOptions
}

/** After this many failures, an unexpected error is attributed to the file. */
const mostFailures = 5
const reportMs = 1000

/**
 * Claims one asset from the queue and converts it. An unusable file ends as `failed` with its reason; when aborted or after a
 * server error it is requeued.
 * @returns the asset's id, or undefined if nothing waits
 * @throws the signal's reason when aborted; server errors
 */
export async function workNext(context: IngestContext, options: WorkOptions): Promise<string | undefined> {
  options.signal.throwIfAborted()
  // The lock is bound to this connection: if this process dies, even by kill -9, the asset is free at once.
  return context.db.connection().execute(async (connection) => {
    const asset = await claimNext(connection, options.among)
    if (!asset) return undefined
    try {
      await work(context, asset, options)
    } finally {
      await queries.unlockAll(connection)
    }
    return asset.id
  })
}

async function work(context: IngestContext, asset: ClaimedAsset, options: WorkOptions): Promise<void> {
  const { db, log } = context
  const folder = await mkdtemp(join(ownWorkFolder(context.storage), 'asset-'))
  const started = performance.now()
  try {
    const made = await makeAsset(context, asset, folder, options)
    const key = context.mediaKeys.encrypts ? context.mediaKeys.make() : undefined
    if (key) await encryptSegments(join(folder, 'media'), key)
    await publishAsset(context, asset, { folder, made, key }, options.signal)
    log.debug(
      { asset: asset.id, source: asset.source_name, ms: Math.round(performance.now() - started) },
      'An episode is ready',
    )
  } catch (error) {
    if (error instanceof ClaimLost) return log.warn({ asset: asset.id }, error.message)
    await letGo(context, asset, error, options.signal)
    await refreshVideo(db, asset.id)
    if (!(error instanceof UnusableFile)) throw error
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function letGo(
  { db, log }: IngestContext,
  asset: ClaimedAsset,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  if (error instanceof UnusableFile) {
    log.warn({ asset: asset.id }, `${asset.source_name} ${error.message}`)
    return markFailed(db, asset, error)
  }
  // An interruption, or an unreachable storage, is not the file's fault.
  if (signal.aborted || isStorageAway(error)) return giveBack(db, asset)
  const failures = asset.failures + 1
  if (failures < mostFailures) return giveBack(db, asset, failures)
  const said = quoted(error instanceof Error ? error.message : String(error))
  return markFailed(db, asset, new UnusableFile({ key: 'gaveUp', tries: mostFailures, said }))
}

async function makeAsset(
  { db, storage, programs, log }: IngestContext,
  asset: ClaimedAsset,
  folder: string,
  options: WorkOptions,
): Promise<Transcoded> {
  let told = { percent: -1, at: -Infinity }
  const onProgress = (percent: number) => {
    options.onProgress?.(asset.id, percent)
    if (percent === told.percent || performance.now() - told.at < reportMs) return
    told = { percent, at: performance.now() }
    report(db, asset, percent).catch((error: unknown) =>
      log.warn({ err: error }, 'The progress could not be recorded'),
    )
  }
  const input = await storage.bringHere(asset.original_path, folder, options.signal)
  return transcode({
    programs,
    input,
    folder,
    niceness: options.niceness,
    signal: options.signal,
    onProgress,
  })
}

async function report(db: Db, claim: Claim, percent: number): Promise<void> {
  await queries.updateProgress(db, claim, percent)
  await refreshVideo(db, claim.id)
}

async function refreshVideo(db: Db, assetId: string): Promise<void> {
  const video = await queries.selectVideoOf(db, assetId)
  if (video) await recordEpisodes(db, video.id, await queries.countEpisodes(db, video.id))
}
