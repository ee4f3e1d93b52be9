import { inTransaction } from '#server/platform/database/in-transaction.ts'
import type { Db, Tx } from '#server/tables.ts'
import { lockHomepage } from '#server/features/catalog/homepage/homepage-queries.ts'
import * as work from './label-batch-queries.ts'
import * as queries from './label-queries.ts'
import type { Label } from './label-queries.ts'

/** Number of videos locked together. Edits and plays of these videos wait at most as long as one batch takes. */
const batchSize = 200

/**
 * Continues pending changes of tags and categories with many videos (edit-labels.ts), batch by batch. Stops when no work
 * is left, or when `signal` aborts; another process then continues.
 */
export async function runLabelBatches(db: Db, signal: AbortSignal): Promise<void> {
  const run = <Result>(step: (tx: Tx) => Promise<Result>) =>
    inTransaction(db, async (tx) => {
      await work.avoidTableScans(tx)
      return step(tx)
    })
  while (!signal.aborted) {
    const done = await run(processBatch)
    if (done === 'nothing') return
    if (done !== 'some') await run((tx) => deleteEmptyLabel(tx, done.last))
  }
}

/**
 * Processes one batch.
 * @returns 'nothing' if no job is pending; `last` is the label if the label has no videos left and must be deleted next;
 * otherwise 'some'
 */
async function processBatch(tx: Tx): Promise<'nothing' | 'some' | { last: Label }> {
  const job = await work.claimLabelBatchJob(tx)
  if (!job) return 'nothing'
  const { kind, id, into } = job
  const ids = await work.lockNextVideos(tx, job, batchSize)
  const last = ids.at(-1)
  if (job.task === 'index') {
    if (last === undefined) await work.deleteLabelBatchJob(tx, job)
    else await indexBatch(tx, id, ids, last)
    return 'some'
  }
  if (last === undefined) return { last: job }
  const labels = await queries.lockLabels(tx, kind, [id, into ?? id])
  // A process of an older release may delete the category that was to replace this one. The category then remains.
  if (into !== null && !labels.has(into)) await work.deleteLabelBatchJob(tx, job)
  else if (into === null) await queries.removeLabel(tx, job, ids)
  else await queries.replaceLabel(tx, job, into, ids)
  return 'some'
}

async function indexBatch(tx: Tx, tagId: string, ids: readonly string[], last: string): Promise<void> {
  await queries.indexVideos(tx, ids)
  await work.saveIndexProgress(tx, tagId, last)
}

/** Deletes a label without videos, unless a homepage section now shows the label. */
async function deleteEmptyLabel(tx: Tx, { kind, id }: Label): Promise<void> {
  await lockHomepage(tx)
  const job = await work.lockLabelBatchJob(tx, { kind, id })
  if (!job) return
  const labels = await queries.lockLabels(tx, kind, [id, job.into ?? id])
  const [label, into] = [labels.get(id), labels.get(job.into ?? '')]
  // A video may have been given the label since the last batch.
  if ((await queries.countVideos(tx, job, 1)) > 0) return
  if (label && into) {
    if (kind === 'tag') await queries.mergeTrendingScore(tx, id, into.id)
    await queries.replaceSectionLabel(tx, kind, label.slug, into.slug)
  }
  const isUsed = label && (await queries.isUsedInSection(tx, kind, label.slug))
  await work.deleteLabelBatchJob(tx, job)
  if (!isUsed) await queries.deleteLabelRow(tx, kind, id)
}
