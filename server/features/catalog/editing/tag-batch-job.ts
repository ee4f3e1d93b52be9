import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
import { lockHomepage } from '#server/features/catalog/homepage/homepage-queries.ts'
import * as queries from './label-queries.ts'
import * as work from './tag-batch-queries.ts'

/** Videos locked together for a moment; edits and plays of these videos wait no longer. */
const batchSize = 200

/**
 * Continues the pending changes of tags that many videos have (edit-labels.ts), a batch at a time, until nothing is left or the
 * process ends; then another process continues.
 */
export async function runTagBatch(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const done = await inTransaction(db, processBatch)
    if (done === 'nothing') return
    if (done !== 'some') await inTransaction(db, (tx) => deleteEmptyTag(tx, done.last))
  }
}

/** @returns the tag whose last videos were processed, if it must be deleted next */
async function processBatch(tx: Tx): Promise<'nothing' | 'some' | { last: string }> {
  const tagWork = await work.claimTagWork(tx)
  if (!tagWork) return 'nothing'
  const { tag_id, task, into_id } = tagWork
  const ids = await work.lockNextVideos(tx, tagWork, batchSize)
  const last = ids.at(-1)
  if (task === 'index') {
    if (last === undefined) await work.deleteTagWork(tx, tag_id)
    else await indexBatch(tx, tag_id, ids, last)
    return 'some'
  }
  if (last === undefined) return { last: tag_id }
  await queries.lockLabels(tx, 'tag', [tag_id, into_id ?? tag_id])
  if (into_id === null) await queries.removeLabel(tx, 'tag', tag_id, ids)
  else await queries.replaceTag(tx, tag_id, into_id, ids)
  return 'some'
}

async function indexBatch(tx: Tx, tagId: string, ids: readonly string[], last: string): Promise<void> {
  await queries.indexVideos(tx, ids)
  await work.saveIndexProgress(tx, tagId, last)
}

/** Deletes a tag that no video has any more. One that is used by a homepage section meanwhile stays, without videos. */
async function deleteEmptyTag(tx: Tx, tagId: string): Promise<void> {
  await lockHomepage(tx)
  const tagWork = await work.lockTagWork(tx, tagId)
  if (!tagWork) return
  const labels = await queries.lockLabels(tx, 'tag', [tagId, tagWork.into_id ?? tagId])
  const [tag, into] = [labels.get(tagId), labels.get(tagWork.into_id ?? '')]
  // A video may have been given the tag meanwhile.
  if (!tag || (await queries.countVideos(tx, tagId, 1)) > 0) return
  if (into) {
    await queries.mergeTrendingScore(tx, tagId, into.id)
    await queries.replaceSectionLabel(tx, 'tag', tag.slug, into.slug)
  }
  if (await queries.isUsedInSection(tx, 'tag', tag.slug)) await work.deleteTagWork(tx, tagId)
  else await queries.deleteLabelRow(tx, 'tag', tagId)
}
