import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { loadCover, recordEpisodes, releaseIfWaiting, setCover } from '#server/features/catalog/catalog.ts'
import type { Clock } from '#server/platform/clock.ts'
import type { Log } from '#server/platform/log.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Language } from '#contract/languages.ts'
import type { MediaKeys } from '#server/features/media/media-keys.ts'
import type { Caption } from '#server/features/media/tables.ts'
import type { Db, Tx } from '#server/tables.ts'
import { assetFiles } from './asset-files.ts'
import {
  ClaimLost,
  claimNext,
  expectHeld,
  giveBack,
  markFailed,
  markReady,
  type Claim,
} from './asset-states.ts'
import { encryptSegments } from './encrypt-segments.ts'
import { captionHash } from './make-captions.ts'
import { makeCover, type Cover } from './make-stills.ts'
import * as queries from './queries.ts'
import type { ClaimedAsset } from './queries.ts'
import { transcode, type Programs, type Transcoded } from './transcode.ts'
import { UnusableFile } from './unusable-file.ts'
import { ownWorkFolder } from './work-folder.ts'

export interface IngestContext {
  db: Db
  storage: Storage
  clock: Clock
  log: Log
  programs: Programs
  mediaKeys: MediaKeys
}

export interface WorkOptions {
  signal: AbortSignal
  /** 0 is usual, 19 the most modest. */
  niceness: number
  /** Keeps to these assets. */
  among?: readonly string[]
  onProgress?: (assetId: string, percent: number) => void
}

/** After so many failed tries an unexpected error is taken to be the file's. */
const mostFailures = 5
const reportMs = 1000

/**
 * Takes one asset from the queue and makes it. A file that can't be used ends as `failed` with its reason; when aborted or
 * on an error of ours it goes back into the queue.
 * @returns the asset's id, or undefined where nothing waits
 * @throws the signal's reason when aborted; what went wrong on our side
 */
export async function workNext(context: IngestContext, options: WorkOptions): Promise<string | undefined> {
  options.signal.throwIfAborted()
  // The lock lives as long as this connection: should we die, even by kill -9, the asset is free at once.
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
    return markFailed(db, asset, error.message)
  }
  // Whoever interrupts a run says nothing about the file.
  if (signal.aborted) return giveBack(db, asset)
  const failures = asset.failures + 1
  if (failures < mostFailures) return giveBack(db, asset, failures)
  const reason = error instanceof Error ? error.message : String(error)
  return markFailed(db, asset, `could not be made in ${mostFailures} tries: ${reason}`)
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
      log.warn({ err: error }, 'The progress could not be noted'),
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

/** What a run has made: its files, and the key that they are encrypted with. */
interface Made {
  folder: string
  made: Transcoded
  key: Buffer | undefined
}

/** Moves the finished files into place, and then, in one transaction, lets the episode play them. */
async function publishAsset(
  { db, storage, clock, mediaKeys }: IngestContext,
  claim: Claim,
  { folder, made, key }: Made,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now()
  await expectHeld(db, claim)
  const cover = await coverFor(db, storage, claim.id, folder)
  // Before the transaction: to a bucket it may take minutes, and nobody looks here until it is committed.
  await storage.moveIn(join(folder, 'media'), assetFiles.media(claim.id), signal)
  await storage.moveIn(join(folder, 'public'), assetFiles.public(claim.id), signal)
  await db.transaction().execute(async (tx) => {
    const switched = await queries.switchEpisode(tx, claim.id)
    const captions = await markReady(tx, claim, made, now)
    if (key) await queries.keepMediaKey(tx, claim.id, mediaKeys.seal(claim.id, key))
    for (const { lang } of captions)
      await storage.copy(assetFiles.originalCaption(claim.id, lang), assetFiles.caption(claim.id, lang))
    await addEmbedded(tx, storage, claim.id, captions, made.captions)
    // Its episode has another file by now: this one is not needed.
    if (!switched) return queries.retireAsset(tx, claim.id, now)
    if (switched.former) await queries.retireAsset(tx, switched.former, now)
    if (cover) await setCover(tx, switched.videoId, cover, { onlyIfMissing: true })
    await recordEpisodes(tx, switched.videoId, await queries.countEpisodes(tx, switched.videoId))
    await releaseIfWaiting(tx, switched.videoId, now)
  })
}

/** The captions out of the video file, in the languages that no file beside it brought. */
async function addEmbedded(
  tx: Tx,
  storage: Storage,
  id: string,
  captions: readonly Caption[],
  found: ReadonlyMap<Language, string>,
): Promise<void> {
  const missing = [...found].filter(([language]) => !captions.some(({ lang }) => lang === language))
  if (missing.length === 0) return
  for (const [language, text] of missing) await storage.write(assetFiles.caption(id, language), text)
  const added = missing.map(([lang, text]) => ({ lang, hash: captionHash(text), embedded: true as const }))
  await queries.updateCaptions(tx, id, [...captions, ...added])
}

/** Covers are open to everybody: a locked episode gives but its blurred still, until a free one has a picture. */
async function coverFor(
  db: Db,
  storage: Storage,
  assetId: string,
  folder: string,
): Promise<Cover | undefined> {
  const video = await queries.selectVideoOf(db, assetId)
  if (!video) return undefined
  const isFree = video.number <= video.free_episodes
  const cover = await loadCover(db, video.id)
  if (cover === 'own' || (cover === 'standIn' && !isFree)) return undefined
  return isFree
    ? makeCover(storage, join(folder, 'media', 'poster.webp'))
    : makeCover(storage, join(folder, 'public', 'still.webp'), { isStandIn: true })
}
