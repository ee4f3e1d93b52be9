import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
import { lockHomepage } from '#server/features/catalog/homepage/homepage-queries.ts'
import * as queries from './label-queries.ts'
import * as work from './tag-batch-queries.ts'

/** Number of videos locked together. Edits and plays of these videos wait at most as long as one batch takes. */
const batchSize = 200

/**
 * Continues pending changes of tags with many videos (edit-labels.ts), batch by batch. Stops when no work is left, or
 * when `signal` aborts; another process then continues.
 */
export async function runTagBatch(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const done = await inTransaction(db, processBatch)
    if (done === 'nothing') return
    if (done !== 'some') await inTransaction(db, (tx) => deleteEmptyTag(tx, done.last))
  }
}

/**
 * Processes one batch.
 * @returns 'nothing' if no job is pending; `last` is the tag if the tag has no videos left and must be deleted next;
 * otherwise 'some'
 */
async function processBatch(tx: Tx): Promise<'nothing' | 'some' | { last: string }> {
  const job = await work.claimTagBatchJob(tx)
  if (!job) return 'nothing'
  const { tag_id, task, target_tag_id } = job
  const ids = await work.lockNextVideos(tx, job, batchSize)
  const last = ids.at(-1)
  if (task === 'index') {
    if (last === undefined) await work.deleteTagBatchJob(tx, tag_id)
    else await indexBatch(tx, tag_id, ids, last)
    return 'some'
  }
  if (last === undefined) return { last: tag_id }
  await queries.lockLabels(tx, 'tag', [tag_id, target_tag_id ?? tag_id])
  if (target_tag_id === null) await queries.removeLabel(tx, 'tag', tag_id, ids)
  else await queries.replaceTag(tx, tag_id, target_tag_id, ids)
  return 'some'
}

async function indexBatch(tx: Tx, tagId: string, ids: readonly string[], last: string): Promise<void> {
  await queries.indexVideos(tx, ids)
  await work.saveIndexProgress(tx, tagId, last)
}

/** Deletes a tag without videos, unless a homepage section now shows the tag. */
async function deleteEmptyTag(tx: Tx, tagId: string): Promise<void> {
  await lockHomepage(tx)
  const job = await work.lockTagBatchJob(tx, tagId)
  if (!job) return
  const labels = await queries.lockLabels(tx, 'tag', [tagId, job.target_tag_id ?? tagId])
  const [tag, into] = [labels.get(tagId), labels.get(job.target_tag_id ?? '')]
  // A video may have been given the tag since the last batch.
  if (!tag || (await queries.countVideos(tx, tagId, 1)) > 0) return
  if (into) {
    await queries.mergeTrendingScore(tx, tagId, into.id)
    await queries.replaceSectionLabel(tx, 'tag', tag.slug, into.slug)
  }
  if (await queries.isUsedInSection(tx, 'tag', tag.slug)) await work.deleteTagBatchJob(tx, tagId)
  else await queries.deleteLabelRow(tx, 'tag', tagId)
}
