import { freeEpisodesFor } from '#server/features/experiments/experiments.ts'
import { loadVideoEntitlements } from '#server/features/library/library.ts'
import { studioSubject } from './admin-episodes.ts'
import { anonymousSubject, type MediaContext } from './media.ts'
import { selectMediaKey } from './queries.ts'

/**
 * Loads the key of an encrypted asset for the user of a signed link. Access is checked for each request. After a
 * refund, an issued link remains valid for a while, but the key is refused.
 * @returns the key; `none` if the asset is not encrypted or does not exist; `replaced` if no episode plays the asset;
 * `locked` without access
 */
export async function loadMediaKey(
  { db, clock, mediaKeys, experiments }: Pick<MediaContext, 'db' | 'clock' | 'mediaKeys' | 'experiments'>,
  userId: string,
  folder: string,
): Promise<Buffer | 'none' | 'replaced' | 'locked'> {
  const row = await selectMediaKey(db, folder)
  if (!row?.media_key) return 'none'
  const { id, number, video_id, free_episodes } = row
  // Stryker disable next-line ConditionalExpression,LogicalOperator: without an episode all four are null, and types need each check
  if (id === null || number === null || video_id === null || free_episodes === null) return 'replaced'
  const running = userId === anonymousSubject ? [] : await experiments.running()
  const { count: free } = freeEpisodesFor(running, userId, { id: video_id, free_episodes })
  const mayPlay =
    userId === studioSubject ||
    number <= free ||
    (await loadVideoEntitlements(db, userId, video_id, clock.now())).covers(id)
  return mayPlay ? mediaKeys.decrypt(folder, row.media_key) : 'locked'
}
