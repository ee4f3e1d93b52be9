import { languages, type Language } from '#contract/languages.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { ConvertedCaptions } from '#server/features/media/ingest/captions/convert-captions.ts'
import { selectEpisodeId } from './caption-queries.ts'
import { selectEpisodeAssets } from '#server/features/media/ingest/asset-queries.ts'
import { syncCaptions } from './sync-captions.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

/** Captions in one language for one episode. */
export interface AddedCaptions {
  videoId: string
  number: number
  language: Language
  converted: ConvertedCaptions
}

/**
 * Replaces an episode's captions in one language, in its current asset and in its next asset.
 * @returns false if the episode does not exist
 */
export async function addCaptions(
  context: IngestContext,
  { videoId, number, language, converted }: AddedCaptions,
): Promise<boolean> {
  const assets = await inTransaction(context.db, async (tx) => {
    const id = await selectEpisodeId(tx, videoId, number)
    return id === undefined ? undefined : selectEpisodeAssets(tx, id)
  })
  if (!assets) return false
  const keptCaptions = new Set(languages.filter((each) => each !== language))
  const captions = new Map([[language, converted]])
  for (const id of [assets.current_id, assets.coming_id])
    if (id !== null) await syncCaptions(context, id, { captions, keptCaptions })
  return true
}
