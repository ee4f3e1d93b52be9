import { isDeepStrictEqual } from 'node:util'
import { join } from 'node:path'
import {
  loadCoverKind,
  recordEpisodes,
  releaseIfWaiting,
  setCover,
} from '#server/features/catalog/catalog.ts'
import type { Caption } from '#server/features/media/tables.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Db } from '#server/tables.ts'
import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import { assertStillClaimed, markReady, type Claim } from './asset-states.ts'
import { selectCaptions, updateCaptions } from './caption-queries.ts'
import { recordOrphaned, removeOrphaned } from '#server/features/media/ingest/storage/file-queries.ts'
import { deleteOrphaned } from '#server/features/media/ingest/storage/orphaned-files.ts'
import { captionHash } from '#server/features/media/ingest/captions/convert-captions.ts'
import { makeCover, type Cover } from '#server/features/media/ingest/convert/make-images.ts'
import * as queries from '#server/features/media/ingest/asset-queries.ts'
import type { TranscodeResult } from '#server/features/media/ingest/convert/transcode.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/** Result of a conversion: the folder of its files, the asset's properties, and the key that encrypts the segments. */
interface ConversionOutput {
  folder: string
  result: TranscodeResult
  key: Buffer | undefined
}

/** Thrown if captions changed while they were copied, so that they are copied again. */
class CaptionsChanged extends Error {
  override name = 'CaptionsChanged'
}

/**
 * Moves the converted files to the folder of this attempt. Then, in one transaction, makes the asset the current asset
 * of its episode. After a failure or an abort, removes the folder.
 * @throws ClaimLost; the signal's reason when aborted
 */
export async function publishAsset(
  context: IngestContext,
  claim: Claim,
  output: ConversionOutput,
  signal: AbortSignal,
): Promise<void> {
  const { db, storage } = context
  await assertStillClaimed(db, claim)
  const folder = assetFiles.folder(claim)
  const keys = [assetFiles.media(folder), assetFiles.public(folder)]
  await recordOrphaned(db, keys)
  try {
    const cover = await makeAutomaticCover(db, storage, claim.id, output.folder)
    // This is outside the transaction, because uploading to a bucket may take minutes. Nothing reads these files before
    // the commit.
    await storage.moveFromWorkDir(join(output.folder, 'media'), assetFiles.media(folder), signal)
    await storage.moveFromWorkDir(join(output.folder, 'public'), assetFiles.public(folder), signal)
    for (let isDone = false; !isDone;) {
      const copied = await copyCaptions(context, claim, output.result)
      isDone = await commit(context, claim, { ...output, cover, keys, copied }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof CaptionsChanged) return false
          throw error
        },
      )
    }
  } catch (error) {
    await deleteOrphaned(context, keys)
    throw error
  }
}

interface Publication extends ConversionOutput {
  cover: Cover | undefined
  keys: readonly string[]
  copied: CopiedCaptions
}

function commit(
  { db, clock, mediaKeys }: IngestContext,
  claim: Claim,
  { result, key, cover, keys, copied }: Publication,
): Promise<void> {
  const now = clock.now()
  return inTransaction(db, async (tx) => {
    await queries.lockVideoOfAsset(tx, claim.id)
    const switched = await queries.switchEpisode(tx, claim.id)
    const captions = await markReady(tx, claim, result, now)
    if (!isDeepStrictEqual(captions, copied.sidecar)) throw new CaptionsChanged()
    if (!(await removeOrphaned(tx, keys)))
      throw new Error('The converted files were deleted before they were published.')
    if (key) await queries.storeMediaKey(tx, claim.id, mediaKeys.encrypt(assetFiles.folder(claim), key))
    if (copied.embedded.length > 0) await updateCaptions(tx, claim.id, [...captions, ...copied.embedded])
    // The episode has a newer file, so this asset is not needed.
    if (!switched) return queries.softDeleteAsset(tx, claim.id, now)
    if (switched.previousAssetId) await queries.softDeleteAsset(tx, switched.previousAssetId, now)
    if (cover) await setCover(tx, switched.videoId, cover, { onlyIfMissing: true })
    await recordEpisodes(tx, switched.videoId, await queries.countEpisodes(tx, switched.videoId))
    await releaseIfWaiting(tx, switched.videoId, now)
  })
}

interface CopiedCaptions {
  /** Captions from the caption files beside the episode's file. */
  sidecar: Caption[]
  /** Embedded captions in the languages for which there is no caption file. */
  embedded: Caption[]
}

/**
 * Copies the captions from caption files to the asset's folder, and writes
 * the embedded captions of other languages there.
 */
async function copyCaptions(
  context: IngestContext,
  claim: Claim,
  result: TranscodeResult,
): Promise<CopiedCaptions> {
  const { db, storage } = context
  const folder = assetFiles.folder(claim)
  const { captions: sidecar } = await selectCaptions(db, claim.id)
  try {
    for (const { lang } of sidecar)
      await storage.copy(assetFiles.originalCaption(claim.id, lang), assetFiles.caption(folder, lang))
  } catch (error) {
    // If captions were changed in the meantime, copy them again. Otherwise the error has another cause.
    if (isDeepStrictEqual((await selectCaptions(db, claim.id)).captions, sidecar)) throw error
    return copyCaptions(context, claim, result)
  }
  const missing = [...result.captions].filter(([language]) => !sidecar.some(({ lang }) => lang === language))
  for (const [language, text] of missing) await storage.write(assetFiles.caption(folder, language), text)
  const embedded = missing.map(([lang, text]) => ({ lang, hash: captionHash(text), embedded: true as const }))
  return { sidecar, embedded }
}

/**
 * Makes a cover from an episode. Returns undefined if the video has an equal or better cover. Covers are public, so a
 * locked episode provides only its blurred still. Later, the image of a free episode replaces the still.
 */
async function makeAutomaticCover(
  db: Db,
  storage: Storage,
  assetId: string,
  folder: string,
): Promise<Cover | undefined> {
  const video = await queries.selectVideoOfAsset(db, assetId)
  if (!video) return undefined
  const isFree = video.number <= video.free_episodes
  const cover = await loadCoverKind(db, video.id)
  if (cover === 'regular' || (cover === 'placeholder' && !isFree)) return undefined
  return isFree
    ? makeCover(storage, join(folder, 'media', 'poster.webp'))
    : makeCover(storage, join(folder, 'public', 'still.webp'), { isPlaceholder: true })
}
