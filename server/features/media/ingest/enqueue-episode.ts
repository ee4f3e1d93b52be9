import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Language, Texts } from '#contract/languages.ts'
import { recordEpisodes } from '#server/features/catalog/catalog.ts'
import type { Caption } from '#server/features/media/tables.ts'
import { newId } from '#server/platform/ids.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import type { Tx } from '#server/tables.ts'
import { assetFiles } from './asset-files.ts'
import { captionHash } from './make-captions.ts'
import * as queries from './queries.ts'
import { ownWorkFolder } from './work-folder.ts'
import type { IngestContext } from './work-queue.ts'

/** One episode's file, checked before, and what goes with it. */
export interface EpisodeFile {
  videoId: string
  number: number
  titles: Partial<Texts>
  path: string
  /** The operator's name for it, such as my-drama/01.mp4. */
  name: string
  /** As WebVTT. */
  captions: ReadonlyMap<Language, string>
  /** Captions that could not be read: what is there stays. */
  keptCaptions: ReadonlySet<Language>
  priority: number
}

export interface Enqueued {
  assetId: string
  /** `queued` is new or changed, `waiting` was in the queue already, `unchanged` plays as it is (perhaps with new captions). */
  state: 'queued' | 'waiting' | 'unchanged'
  captionsChanged: boolean
}

/**
 * Puts an episode's file into the storage and the queue. The same file again changes nothing; another file becomes a new asset, and the
 * episode plays the old one until that is ready.
 */
export async function enqueueEpisode(
  context: IngestContext,
  file: EpisodeFile,
  signal: AbortSignal,
): Promise<Enqueued> {
  const known = await readKnown(context, file)
  if (known.hashes.size > 0) {
    const hash = await hashFile(file.path, signal)
    const episodeId = known.episodeId
    if (known.hashes.has(hash))
      return context.db.transaction().execute((tx) => keep(tx, context, file, episodeId, hash))
  }
  return addAsset(context, file, signal)
}

async function readKnown({ db }: IngestContext, { videoId, number, titles }: EpisodeFile) {
  return db.transaction().execute(async (tx) => {
    const episodeId = await queries.upsertEpisode(tx, { videoId, number, titles })
    const assets = await queries.selectEpisodeAssets(tx, episodeId)
    const coming = assets.coming_state === 'failed' ? null : assets.coming_hash
    return { episodeId, hashes: new Set([assets.current_hash, coming].filter((hash) => hash !== null)) }
  })
}

/** The file is known: only its captions may have changed. */
async function keep(
  tx: Tx,
  { storage, clock }: IngestContext,
  file: EpisodeFile,
  episodeId: string,
  hash: string,
): Promise<Enqueued> {
  const assets = await queries.selectEpisodeAssets(tx, episodeId)
  if (assets.coming_id !== null && assets.coming_hash === hash) {
    const coming = { id: assets.coming_id, captions: assets.coming_captions ?? [], ready: false }
    return {
      assetId: coming.id,
      state: 'waiting',
      captionsChanged: await syncCaptions(tx, storage, coming, file),
    }
  }
  // Back to the file that plays: what was being made instead is not wanted any more.
  if (assets.coming_id !== null) {
    await queries.setNextAsset(tx, episodeId, null)
    await queries.retireAsset(tx, assets.coming_id, clock.now())
  }
  const current = { id: assets.current_id ?? '', captions: assets.current_captions ?? [], ready: true }
  return {
    assetId: current.id,
    state: 'unchanged',
    captionsChanged: await syncCaptions(tx, storage, current, file),
  }
}

interface CaptionedAsset {
  id: string
  captions: readonly Caption[]
  ready: boolean
}

async function syncCaptions(
  tx: Tx,
  storage: Storage,
  asset: CaptionedAsset,
  file: EpisodeFile,
): Promise<boolean> {
  const wanted = captionsOf(file)
  const stays = ({ lang, embedded }: Caption) =>
    file.keptCaptions.has(lang) || (embedded === true && !file.captions.has(lang))
  const kept = asset.captions.filter(stays)
  const same = (caption: Caption) =>
    asset.captions.some(({ lang, hash }) => lang === caption.lang && hash === caption.hash)
  const changed = wanted.filter((caption) => !same(caption))
  const gone = asset.captions.filter((caption) => !file.captions.has(caption.lang) && !stays(caption))
  if (changed.length === 0 && gone.length === 0) return false
  await writeCaptions(storage, asset, file, changed)
  await queries.updateCaptions(tx, asset.id, [...wanted, ...kept])
  for (const { lang } of gone) {
    await storage.remove(assetFiles.originalCaption(asset.id, lang))
    if (asset.ready) await storage.remove(assetFiles.caption(asset.id, lang))
  }
  return true
}

async function writeCaptions(
  storage: Storage,
  asset: { id: string; ready: boolean },
  file: EpisodeFile,
  captions: readonly Caption[],
): Promise<void> {
  for (const { lang } of captions) {
    const text = file.captions.get(lang) ?? ''
    await storage.write(assetFiles.originalCaption(asset.id, lang), text)
    if (asset.ready) await storage.write(assetFiles.caption(asset.id, lang), text)
  }
}

function captionsOf({ captions }: EpisodeFile): Caption[] {
  return [...captions].map(([lang, text]) => ({ lang, hash: captionHash(text) }))
}

async function addAsset(context: IngestContext, file: EpisodeFile, signal: AbortSignal): Promise<Enqueued> {
  const { db, storage, clock } = context
  const id = newId('ast')
  const extension = extname(file.path).slice(1).toLowerCase()
  const draft = join(ownWorkFolder(storage), `${id}.${extension}`)
  try {
    const hash = await copyAndHash(file.path, draft, signal)
    const original_path = assetFiles.original(id, extension)
    // Before the transaction: to a bucket it may take long.
    await storage.moveIn(draft, original_path, signal)
    await db.transaction().execute(async (tx) => {
      const { videoId, number, titles } = file
      const episodeId = await queries.upsertEpisode(tx, { videoId, number, titles })
      const { coming_id } = await queries.selectEpisodeAssets(tx, episodeId)
      await writeCaptions(storage, { id, ready: false }, file, captionsOf(file))
      await queries.insertAsset(tx, {
        id,
        original_path,
        source_name: file.name,
        source_hash: hash,
        captions: captionsOf(file),
        priority: file.priority,
      })
      await queries.setNextAsset(tx, episodeId, id)
      if (coming_id !== null) await queries.retireAsset(tx, coming_id, clock.now())
      await recordEpisodes(tx, videoId, await queries.countEpisodes(tx, videoId))
    })
    return { assetId: id, state: 'queued', captionsChanged: false }
  } finally {
    await rm(draft, { force: true })
  }
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { signal })
  return hash.digest('hex')
}

/** Copies a file and gives the SHA-256 of what was copied. */
async function copyAndHash(from: string, to: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const pass = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
  await pipeline(createReadStream(from), pass, createWriteStream(to, { flush: true }), { signal })
  return hash.digest('hex')
}
