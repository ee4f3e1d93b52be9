import { dayMs } from '#server/platform/clock.ts'
import { inTransaction } from '#server/platform/database/in-transaction.ts'
import { runInBatches } from '#server/platform/database/run-in-batches.ts'
import type { Db, Tx } from '#server/tables.ts'
import { lockSetting, upsertSetting } from '#server/features/catalog/queries.ts'
import {
  deleteRankChanges,
  decayTrendingScores,
  moveToTiers,
  rankTags,
  refreshPlayedVideos,
  selectTierMoves,
  type TierMove,
} from './rank-queries.ts'

const batchSize = 1000
/**
 * Number of videos whose tier is changed in one statement. The index has one entry for each word of a search row. If
 * the index is not in memory, moving a row takes 20 ms, so a batch takes a third of the statement timeout.
 */
const tierBatch = 500
/** Maximum number of videos to move that are found at once. Finding them ranks all videos of the front tiers. */
const maxTierMoves = 20_000
/** Half-life of a play in the trending score of its video's tags. */
const halfLifeMs = 2 * dayMs
const trendingTags = 10
/** Retention of rank changes. A viewer who takes longer between two pages may miss a video that rose in that time. */
const rankChangeRetentionMs = 3_600_000
const settingKey = 'tags_ranked'

/**
 * Updates the rankings of videos and tags with the plays counted since the last run. Ranks are fixed between runs, and
 * each rank change is recorded. So a viewer who pages through a ranking sees each video once (`selectPopularAfter`).
 */
export async function refreshRanks(db: Db, now: Date): Promise<void> {
  await inTransaction(db, (tx) => decaySinceLastRun(tx, now))
  await runInBatches(db, (tx, limit) => refreshPlayedVideos(tx, limit, now), { limit: batchSize })
  await deleteRankChanges(db, new Date(now.getTime() - rankChangeRetentionMs))
  await inTransaction(db, (tx) => rankTags(tx, trendingTags))
}

/**
 * Decays the tags' scores for the time since the last run. The lock prevents concurrent processes from decaying them
 * twice.
 */
async function decaySinceLastRun(tx: Tx, now: Date): Promise<void> {
  const ranked = (await lockSetting(tx, settingKey)) as { at: string } | undefined
  const elapsedMs = Math.max(0, now.getTime() - Date.parse(ranked?.at ?? now.toISOString()))
  await decayTrendingScores(tx, 0.5 ** (elapsedMs / halfLifeMs))
  await upsertSetting(tx, settingKey, { at: now.toISOString() })
}

/**
 * Moves videos to their search tier until all are in the right tier. After an import, nearly all videos must move.
 * `found`: number of videos that are found at once. `batch`: number of videos that one transaction moves.
 */
export async function assignAllTiers(
  db: Db,
  signal: AbortSignal,
  { found = maxTierMoves, batch = tierBatch } = {},
): Promise<void> {
  let moves: TierMove[]
  do {
    moves = await selectTierMoves(db, found)
    for (let from = 0; from < moves.length && !signal.aborted; from += batch)
      await inTransaction(db, (tx) => moveToTiers(tx, moves.slice(from, from + batch)))
  } while (moves.length === found && !signal.aborted)
}
