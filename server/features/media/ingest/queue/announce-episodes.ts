import type { LocalizedText } from '#contract/languages.ts'
import { recordEpisodes } from '#server/features/catalog/catalog.ts'
import { lockRows } from '#server/platform/database/add-to-counters.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { newId } from '#server/platform/ids.ts'
import * as queries from '#server/features/media/ingest/asset-queries.ts'
import type { IngestContext } from '#server/features/media/ingest/ingest-context.ts'

const announcedHash = 'announced'

/**
 * Announces a video's episodes before their files exist, so that the video's card and episode list show them with their
 * progress. If an episode already has a file or was announced, only its titles are updated.
 * @param titles one per episode, from number 1
 * @returns the numbers of the episodes that wait for their file
 */
export async function announceEpisodes(
  { db }: Pick<IngestContext, 'db'>,
  videoId: string,
  titles: readonly Partial<LocalizedText>[],
): Promise<number[]> {
  return inTransaction(db, async (tx) => {
    const pendingNumbers: number[] = []
    // A video is locked before its episodes, as in publish-asset.ts.
    await lockRows(tx, 'videos', [videoId])
    for (const [index, title] of titles.entries()) {
      const number = index + 1
      const episodeId = await queries.upsertEpisode(tx, { videoId, number, titles: title })
      const { current_id, coming_id, coming_hash } = await queries.selectEpisodeAssets(tx, episodeId)
      if (coming_hash === announcedHash) pendingNumbers.push(number)
      if (current_id !== null || coming_id !== null) continue
      const id = newId('ast')
      // No worker claims this asset from the queue, because it has no original.
      await queries.insertAsset(tx, {
        id,
        original_path: null,
        source_name: '',
        source_hash: announcedHash,
        captions: [],
        priority: 0,
      })
      await queries.setNextAsset(tx, episodeId, id)
      pendingNumbers.push(number)
    }
    await recordEpisodes(tx, videoId, await queries.countEpisodes(tx, videoId))
    return pendingNumbers
  })
}
