import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
import { lockHomepage } from '#server/features/catalog/homepage/compose-queries.ts'
import * as queries from './label-queries.ts'
import * as work from './tag-batch-queries.ts'

/** Videos locked together for a moment; edits and plays of these videos wait no longer. */
const batch = 200

/**
 * Continues the pending changes of tags that many videos have (edit-labels.ts), a batch at a time, until nothing is left or the
 * process ends; then another process continues.
 */
export async function runTagBatch(db: Db, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const done = await inTransaction(db, doBatch)
    if (done === 'nothing') return
    if (done !== 'some') await inTransaction(db, (tx) => finish(tx, done.last))
  }
}

/** @returns the tag whose last videos were processed, if it must be deleted next */
async function doBatch(tx: Tx): Promise<'nothing' | 'some' | { last: string }> {
  const wanted = await work.takeTagWork(tx)
  if (!wanted) return 'nothing'
  const { tag_id, task, into_id } = wanted
  const ids = await work.lockNextVideos(tx, wanted, batch)
  const last = ids.at(-1)
  if (task === 'index') {
    if (last === undefined) await work.endTagWork(tx, tag_id)
    else await indexUpTo(tx, tag_id, ids, last)
    return 'some'
  }
  if (last === undefined) return { last: tag_id }
  await queries.lockLabels(tx, 'tag', [tag_id, into_id ?? tag_id])
  if (into_id === null) await queries.takeOff(tx, 'tag', tag_id, ids)
  else await queries.moveTagged(tx, tag_id, into_id, ids)
  return 'some'
}

async function indexUpTo(tx: Tx, tagId: string, ids: readonly string[], last: string): Promise<void> {
  await queries.indexVideos(tx, ids)
  await work.noteIndexed(tx, tagId, last)
}

/** Deletes a tag that no video has any more. One that is used by a homepage section meanwhile stays, without videos. */
async function finish(tx: Tx, tagId: string): Promise<void> {
  await lockHomepage(tx)
  const wanted = await work.lockTagWork(tx, tagId)
  if (!wanted) return
  const labels = await queries.lockLabels(tx, 'tag', [tagId, wanted.into_id ?? tagId])
  const [tag, into] = [labels.get(tagId), labels.get(wanted.into_id ?? '')]
  // A video may have been given the tag meanwhile.
  if (!tag || (await queries.countVideos(tx, tagId, 1)) > 0) return
  if (into) {
    await queries.moveHeat(tx, tagId, into.id)
    await queries.feedInstead(tx, 'tag', tag.slug, into.slug)
  }
  if (await queries.feedsSection(tx, 'tag', tag.slug)) await work.endTagWork(tx, tagId)
  else await queries.deleteRow(tx, 'tag', tagId)
}
