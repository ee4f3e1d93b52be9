import { isDeepStrictEqual } from 'node:util'
import type { Language } from '#contract/languages.ts'
import type { Caption } from '#server/features/media/tables.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Storage } from '#server/platform/storage/storage.ts'
import { assetFiles } from '#server/features/media/ingest/files/asset-files.ts'
import * as queries from './caption-queries.ts'
import { recordOrphaned, removeOrphaned } from '#server/features/media/ingest/storage/file-queries.ts'
import { deleteOrphaned } from '#server/features/media/ingest/storage/orphaned-files.ts'
import {
  captionHash,
  type ConvertedCaptions,
} from '#server/features/media/ingest/captions/convert-captions.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/** The captions beside an episode's file. */
export interface CaptionFiles {
  captions: ReadonlyMap<Language, ConvertedCaptions>
  /** Languages of captions that could not be read; the existing ones stay. */
  keptCaptions: ReadonlySet<Language>
}

/** An asset whose captions are beside its original, and in its folder once it has one. */
interface CaptionedAsset {
  id: string
  folder: string | null
}

/**
 * Updates the captions of an asset from the files beside its episode: first files, then the rows that name them, then unused files
 * are deleted. It restarts if they were changed concurrently.
 * @returns whether anything changed
 */
export async function syncCaptions(context: IngestContext, id: string, file: CaptionFiles): Promise<boolean> {
  const { db, storage, clock } = context
  for (;;) {
    const asset = await queries.selectCaptions(db, id)
    const { wanted, written, added, gone } = diffCaptions(asset.captions, file)
    if (written.length === 0 && gone.length === 0) return false
    const keysOf = (captions: readonly Caption[]) =>
      captions.flatMap(({ lang }) => captionKeys({ id, folder: asset.folder }, lang))
    await recordOrphaned(db, keysOf(added), clock.now())
    await writeCaptions(storage, { id, folder: asset.folder }, file, written)
    const isDone = await inTransaction(db, async (tx) => {
      const unchanged = isDeepStrictEqual(await queries.lockCaptions(tx, id), asset)
      if (!unchanged || !(await removeOrphaned(tx, keysOf(added)))) return false
      await queries.updateCaptions(tx, id, wanted)
      await recordOrphaned(tx, keysOf(gone), clock.now())
      return true
    })
    if (!isDone) continue
    await deleteOrphaned(context, keysOf(gone))
    return true
  }
}

/** Returns the changes of an asset's captions. */
function diffCaptions(current: readonly Caption[], file: CaptionFiles) {
  const sidecar = toCaptionRows(file)
  const shouldKeep = ({ lang, embedded }: Caption) =>
    file.keptCaptions.has(lang) || (embedded === true && !file.captions.has(lang))
  const isIn = (captions: readonly Caption[], lang: Language) => captions.some((each) => each.lang === lang)
  const isSame = ({ lang, hash, lostLine }: Caption) =>
    current.some((other) => other.lang === lang && other.hash === hash && other.lostLine === lostLine)
  const written = sidecar.filter((caption) => !isSame(caption))
  return {
    wanted: [...sidecar, ...current.filter(shouldKeep)],
    written,
    added: written.filter(({ lang }) => !isIn(current, lang)),
    gone: current.filter((caption) => !isIn(sidecar, caption.lang) && !shouldKeep(caption)),
  }
}

function captionKeys({ id, folder }: CaptionedAsset, language: Language): string[] {
  const original = assetFiles.originalCaption(id, language)
  return folder === null ? [original] : [original, assetFiles.caption(folder, language)]
}

/** Writes these captions to the asset's paths. */
export async function writeCaptions(
  storage: Storage,
  asset: CaptionedAsset,
  file: CaptionFiles,
  captions: readonly Caption[],
): Promise<void> {
  for (const { lang } of captions)
    for (const key of captionKeys(asset, lang)) await storage.write(key, file.captions.get(lang)?.text ?? '')
}

/** Returns the captions beside an episode in the form of the asset's row. */
export function toCaptionRows({ captions }: CaptionFiles): Caption[] {
  return [...captions].map(([lang, { text, lostLine }]) => ({
    lang,
    hash: captionHash(text),
    ...(lostLine === undefined ? {} : { lostLine }),
  }))
}
