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

/** Captions from the caption files beside an episode's file. */
export interface CaptionFiles {
  captions: ReadonlyMap<Language, ConvertedCaptions>
  /** Languages whose existing captions remain, for example because the new caption file could not be read. */
  keptCaptions: ReadonlySet<Language>
}

/** An asset. Its captions are stored beside its original and, once the asset is ready, also in `folder`. */
interface CaptionedAsset {
  id: string
  folder: string | null
}

/**
 * Updates the captions of an asset from caption files: writes the files, then updates the asset's row, then deletes
 * unused files. Starts again if the captions were changed concurrently.
 * @returns whether anything changed
 */
export async function syncCaptions(context: IngestContext, id: string, file: CaptionFiles): Promise<boolean> {
  const { db, storage } = context
  for (;;) {
    const asset = await queries.selectCaptions(db, id)
    const { updated, written, added, removed } = diffCaptions(asset.captions, file)
    if (written.length === 0 && removed.length === 0) return false
    const keysOf = (captions: readonly Caption[]) =>
      captions.flatMap(({ lang }) => captionKeys({ id, folder: asset.folder }, lang))
    await recordOrphaned(db, keysOf(added))
    await writeCaptions(storage, { id, folder: asset.folder }, file, written)
    const isDone = await inTransaction(db, async (tx) => {
      const unchanged = isDeepStrictEqual(await queries.lockCaptions(tx, id), asset)
      if (!unchanged || !(await removeOrphaned(tx, keysOf(added)))) return false
      await queries.updateCaptions(tx, id, updated)
      await recordOrphaned(tx, keysOf(removed))
      return true
    })
    if (!isDone) continue
    await deleteOrphaned(context, keysOf(removed))
    return true
  }
}

/**
 * Compares an asset's captions with the caption files. `updated` is the new list. `written` are the captions to store,
 * `added` are those in a new language, and `removed` are those whose file is gone.
 */
function diffCaptions(current: readonly Caption[], file: CaptionFiles) {
  const sidecar = toCaptionRows(file)
  const shouldKeep = ({ lang, embedded }: Caption) =>
    file.keptCaptions.has(lang) || (embedded === true && !file.captions.has(lang))
  const isIn = (captions: readonly Caption[], lang: Language) => captions.some((each) => each.lang === lang)
  const isSame = ({ lang, hash, omittedLine }: Caption) =>
    current.some((other) => other.lang === lang && other.hash === hash && other.omittedLine === omittedLine)
  const written = sidecar.filter((caption) => !isSame(caption))
  return {
    updated: [...sidecar, ...current.filter(shouldKeep)],
    written,
    added: written.filter(({ lang }) => !isIn(current, lang)),
    removed: current.filter((caption) => !isIn(sidecar, caption.lang) && !shouldKeep(caption)),
  }
}

function captionKeys({ id, folder }: CaptionedAsset, language: Language): string[] {
  const original = assetFiles.originalCaption(id, language)
  return folder === null ? [original] : [original, assetFiles.caption(folder, language)]
}

/** Writes captions to all paths at which the asset stores them. */
export async function writeCaptions(
  storage: Storage,
  asset: CaptionedAsset,
  file: CaptionFiles,
  captions: readonly Caption[],
): Promise<void> {
  for (const { lang } of captions)
    for (const key of captionKeys(asset, lang)) await storage.write(key, file.captions.get(lang)?.text ?? '')
}

/** Converts captions to the form of the column `assets.captions`. */
export function toCaptionRows({ captions }: CaptionFiles): Caption[] {
  return [...captions].map(([lang, { text, omittedLine }]) => ({
    lang,
    hash: captionHash(text),
    ...(omittedLine === undefined ? {} : { omittedLine }),
  }))
}
