import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { LocalizedText } from '#contract/languages.ts'
import { recordEpisodes } from '#server/features/catalog/catalog.ts'
import { lockRows } from '#server/platform/database/add-to-counters.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Tx } from '#server/tables.ts'
import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import * as files from '#server/features/media/ingest/storage/file-queries.ts'
import * as queries from '#server/features/media/ingest/asset-queries.ts'
import { toCaptionRows, syncCaptions, writeCaptions, type CaptionFiles } from './sync-captions.ts'
import { ownWorkFolder } from '#server/platform/storage/work-folder.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/** One episode's checked file, with its captions and titles. */
export interface EpisodeFile extends CaptionFiles {
  videoId: string
  number: number
  /** If omitted, the episode keeps its titles. */
  titles?: Partial<LocalizedText>
  /** Titles for the languages in which the episode has none. */
  firstTitles?: Partial<LocalizedText>
  path: string
  /** The file's name as the operator knows it, such as my-drama/01.mp4. */
  name: string
  priority: number
}

export interface Enqueued {
  assetId: string
  /**
   * `queued`: the file is new or changed. `waiting`: the file was already in the queue. `unchanged`: the episode
   * already plays this file.
   */
  state: 'queued' | 'waiting' | 'unchanged'
  captionsChanged: boolean
}

/**
 * Copies an episode's file to the storage and queues it for conversion. If the episode already has this file, only
 * updates its captions. A different file becomes a new asset. The episode plays its current asset until the new one is
 * ready.
 */
export async function enqueueEpisode(
  context: IngestContext,
  file: EpisodeFile,
  signal: AbortSignal,
): Promise<Enqueued> {
  const { episodeId, hashes } = await loadKnownHashes(context, file)
  if (hashes.size > 0) {
    const hash = await hashFile(file.path, signal)
    if (hashes.has(hash)) {
      const existing = await inTransaction(context.db, (tx) =>
        reuseExistingAsset(tx, context, episodeId, hash),
      )
      return { ...existing, captionsChanged: await syncCaptions(context, existing.assetId, file) }
    }
  }
  const assetId = await addAsset(context, file, episodeId, signal)
  if (assetId !== undefined) return { assetId, state: 'queued', captionsChanged: false }
  // Another process has added the same file in the meantime, so now the file is known.
  return enqueueEpisode(context, file, signal)
}

async function loadKnownHashes({ db }: IngestContext, { videoId, number, titles, firstTitles }: EpisodeFile) {
  return inTransaction(db, async (tx) => {
    const episodeId = await queries.upsertEpisode(tx, { videoId, number, titles })
    if (firstTitles) await queries.addMissingTitles(tx, episodeId, firstTitles)
    return { episodeId, hashes: knownHashes(await queries.selectEpisodeAssets(tx, episodeId)) }
  })
}

/** Returns the hash of an episode's current file, and the hash of its next file if that file has not failed. */
function knownHashes(assets: Awaited<ReturnType<typeof queries.selectEpisodeAssets>>): Set<string> {
  const nextHash = assets.coming_state === 'failed' ? null : assets.coming_hash
  return new Set([assets.current_hash, nextHash].filter((hash) => hash !== null))
}

/** Handles a file that is already the next or the current asset of the episode. */
async function reuseExistingAsset(
  tx: Tx,
  { clock }: IngestContext,
  episodeId: string,
  hash: string,
): Promise<Omit<Enqueued, 'captionsChanged'>> {
  const { current_id, coming_id, coming_hash } = await queries.selectEpisodeAssets(tx, episodeId)
  if (coming_id !== null && coming_hash === hash) return { assetId: coming_id, state: 'waiting' }
  // The operator chose the current file again, so the next asset is not needed.
  if (coming_id !== null) {
    await queries.setNextAsset(tx, episodeId, null)
    await queries.softDeleteAsset(tx, coming_id, clock.now())
  }
  return { assetId: current_id ?? '', state: 'unchanged' }
}

/**
 * Stores a file and makes it the episode's next asset.
 * @returns the asset's id; undefined if another process added the same file in the meantime
 */
async function addAsset(
  context: IngestContext,
  file: EpisodeFile,
  episodeId: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { db, storage, clock } = context
  const extension = extname(file.path).slice(1).toLowerCase()
  const folder = await mkdtemp(join(ownWorkFolder(storage), 'original-'))
  try {
    const draft = join(folder, `original.${extension}`)
    const hash = await copyAndHash(file.path, draft, signal)
    const id = await files.registerIncomingFile(db, episodeId, hash)
    const original_path = assetFiles.original(id, extension)
    // This is outside the transaction, because uploading to a bucket may be slow. An earlier attempt may have uploaded
    // the file already.
    if (!(await storage.exists(original_path))) await storage.moveFromWorkDir(draft, original_path, signal)
    const captions = toCaptionRows(file)
    const captionKeys = captions.map(({ lang }) => assetFiles.originalCaption(id, lang))
    await files.recordOrphaned(db, captionKeys)
    await writeCaptions(storage, { id, folder: null }, file, captions)
    return await inTransaction(db, async (tx) => {
      const { videoId } = file
      // A video is locked before its episodes, as in publish-asset.ts.
      await lockRows(tx, 'videos', [videoId])
      const assets = await queries.selectEpisodeAssets(tx, episodeId)
      const isFirst = await files.removeIncomingFile(tx, episodeId, id)
      if (!isFirst || knownHashes(assets).has(hash)) return undefined
      await files.removeOrphaned(tx, captionKeys)
      await queries.insertAsset(tx, {
        id,
        original_path,
        source_name: file.name,
        source_hash: hash,
        captions,
        priority: file.priority,
      })
      await queries.setNextAsset(tx, episodeId, id)
      if (assets.coming_id !== null) await queries.softDeleteAsset(tx, assets.coming_id, clock.now())
      await recordEpisodes(tx, videoId, await queries.countEpisodes(tx, videoId))
      return id
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { signal })
  return hash.digest('hex')
}

/** Copies a file and returns the SHA-256 of the copied bytes. */
async function copyAndHash(from: string, to: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const passThrough = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(createReadStream(from), passThrough, createWriteStream(to, { flush: true }), { signal })
  return hash.digest('hex')
}
