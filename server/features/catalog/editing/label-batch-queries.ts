import { sql } from 'kysely'
import type { CategoryTask, TagTask } from '#contract/studio/labels.ts'
import type { Db, Tx } from '#server/tables.ts'
import { selectCategories } from '#server/features/catalog/homepage/homepage-queries.ts'
import { lockSetting, selectSetting, upsertSetting } from '#server/features/catalog/queries.ts'
import { videosWithLabel, type Label, type LabelKind } from './label-queries.ts'

/** PostgreSQL channel that notifies the worker of pending batch jobs, of tags and of categories. */
export const labelBatchJobsChannel = 'tag_batch_jobs'

/** Setting with the pending merges and deletions of categories. */
const pendingCategoriesKey = 'pending_categories'

/** SQL condition: true if there are pending batch jobs. */
export const hasLabelBatchJobs = `EXISTS (SELECT FROM tag_batch_jobs)
  OR EXISTS (SELECT FROM settings WHERE key = '${pendingCategoriesKey}' AND value <> '{}')`

/** Pending work on the videos of a label. */
export interface LabelBatchJob extends Label {
  task: TagTask
  /** Id of the label that replaces this one; null if none does. */
  into: string | null
  /** Id of the last video that was indexed. */
  last_video_id: string
}

const selectTagJobs = (tx: Tx) =>
  tx
    .selectFrom('tag_batch_jobs')
    .select(({ val }) => val('tag' as const).as('kind'))
    .select(['tag_id as id', 'task', 'target_tag_id as into', 'last_video_id'])

/**
 * Categories that are being merged or deleted, each with the category that replaces it, or null. They are few, and are
 * changed only while the homepage is locked, so one setting has all of them.
 */
type PendingCategories = Record<string, string | null>

// The casts are safe, because only `savePendingCategories` writes the setting.
async function lockPendingCategories(tx: Tx): Promise<PendingCategories> {
  return ((await lockSetting(tx, pendingCategoriesKey)) ?? {}) as PendingCategories
}

const savePendingCategories = (tx: Tx, pending: PendingCategories) =>
  upsertSetting(tx, pendingCategoriesKey, pending)

const taskOf = (into: string | null): CategoryTask => (into === null ? 'delete' : 'merge')

const categoryJob = (id: string, into: string | null): LabelBatchJob => ({
  kind: 'category',
  id,
  task: taskOf(into),
  into,
  last_video_id: '',
})

/** Selects all categories, in the order of the menu, with their pending tasks. */
export async function selectAdminCategories(db: Db) {
  const pending = ((await selectSetting(db, pendingCategoriesKey)) ?? {}) as PendingCategories
  return (await selectCategories(db)).map((category) => {
    const into = pending[category.id]
    return { ...category, running_task: into === undefined ? null : taskOf(into) }
  })
}

/** Locks the pending job of a label; undefined if there is none. */
export async function lockLabelBatchJob(tx: Tx, { kind, id }: Label): Promise<LabelBatchJob | undefined> {
  if (kind === 'tag') return selectTagJobs(tx).where('tag_id', '=', id).forUpdate().executeTakeFirst()
  const into = (await lockPendingCategories(tx))[id]
  return into === undefined ? undefined : categoryJob(id, into)
}

/**
 * Claims a pending job that no other process has claimed. Returns undefined if there is none. Waits for another process
 * that has claimed a category.
 */
export async function claimLabelBatchJob(tx: Tx): Promise<LabelBatchJob | undefined> {
  const tagJob = await selectTagJobs(tx)
    .orderBy('tag_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (tagJob) return tagJob
  const [category] = Object.entries(await lockPendingCategories(tx))
  return category && categoryJob(...category)
}

/** Returns whether one of these labels is being merged or deleted, or another one is being merged into `deletedId`. */
export async function isBeingDeleted(
  tx: Tx,
  kind: LabelKind,
  ids: readonly string[],
  deletedId: string,
): Promise<boolean> {
  if (kind === 'category') {
    const pending = await lockPendingCategories(tx)
    return ids.some((id) => id in pending) || Object.values(pending).includes(deletedId)
  }
  const row = await tx
    .selectFrom('tag_batch_jobs')
    .select('tag_id')
    .where((eb) =>
      eb.or([
        eb('tag_id', 'in', ids).and('task', '<>', 'index'),
        // `IS NOT NULL` is part of the query, because otherwise PostgreSQL could not use the partial index.
        eb('target_tag_id', 'is not', null).and('target_tag_id', '=', deletedId),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Queues the merge of a label into `into`, or its deletion if `into` is null. Replaces a pending job that indexes a
 * tag's names. The homepage must be locked.
 */
export async function queueLabelBatchJob(tx: Tx, { kind, id }: Label, into: string | null): Promise<void> {
  if (kind === 'tag') await queueTagJob(tx, id, into)
  else await savePendingCategories(tx, { ...(await lockPendingCategories(tx)), [id]: into })
  await sql`SELECT pg_notify(${labelBatchJobsChannel}, '')`.execute(tx)
}

async function queueTagJob(tx: Tx, tagId: string, targetTagId: string | null): Promise<void> {
  const job = {
    task: taskOf(targetTagId),
    target_tag_id: targetTagId,
    last_video_id: '',
  }
  await tx
    .insertInto('tag_batch_jobs')
    .values({ tag_id: tagId, ...job })
    .onConflict((conflict) => conflict.column('tag_id').doUpdateSet(job))
    .execute()
}

export async function saveIndexProgress(tx: Tx, tagId: string, lastVideoId: string): Promise<void> {
  await tx
    .updateTable('tag_batch_jobs')
    .set({ last_video_id: lastVideoId })
    .where('tag_id', '=', tagId)
    .execute()
}

/** Deletes the pending job of a label. For a category, the homepage or its pending job must be locked. */
export async function deleteLabelBatchJob(tx: Tx, { kind, id }: Label): Promise<void> {
  if (kind === 'tag') await tx.deleteFrom('tag_batch_jobs').where('tag_id', '=', id).execute()
  else {
    const { [id]: _deleted, ...others } = await lockPendingCategories(tx)
    await savePendingCategories(tx, others)
  }
}

/**
 * Makes PostgreSQL use indexes until the end of the transaction. For a category of very many videos, it might scan all
 * videos instead, and each batch would then read the videos of all earlier batches again.
 */
export async function avoidTableScans(tx: Tx): Promise<void> {
  await sql`SET LOCAL enable_seqscan = off`.execute(tx)
}

/** Locks and returns the next videos of a label. Those of a tag are in the order of their ids. */
export async function lockNextVideos(tx: Tx, job: LabelBatchJob, limit: number): Promise<string[]> {
  const next =
    job.kind === 'tag'
      ? sql`${videosWithLabel(job)} AND video_id > ${job.last_video_id} ORDER BY video_id`
      : videosWithLabel(job)
  const { rows } = await sql<{ id: string }>`${next} LIMIT ${limit}`.execute(tx)
  const ids = rows.map(({ id }) => id)
  await tx
    .selectFrom('videos')
    .select('id')
    .where(sql<boolean>`id = ANY(${ids})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return ids
}
