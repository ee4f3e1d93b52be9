import { sql, type Selectable } from 'kysely'
import type { Tx } from '#server/tables.ts'
import type { TagBatchJobsTable } from '#server/features/catalog/tables.ts'

/** PostgreSQL channel that notifies the worker of pending tag batch jobs. */
export const tagBatchJobsChannel = 'tag_batch_jobs'

/** SQL condition: true if there are pending tag batch jobs. */
export const hasTagBatchJobs = 'EXISTS (SELECT FROM tag_batch_jobs)'

export type TagBatchJob = Selectable<TagBatchJobsTable>

/** Locks the pending job of a tag; undefined if there is none. */
export function lockTagBatchJob(tx: Tx, tagId: string): Promise<TagBatchJob | undefined> {
  return tx
    .selectFrom('tag_batch_jobs')
    .selectAll()
    .where('tag_id', '=', tagId)
    .forUpdate()
    .executeTakeFirst()
}

/** Returns whether one of these tags is being merged or deleted, or another tag is being merged into `deletedId`. */
export async function isBeingDeleted(tx: Tx, ids: readonly string[], deletedId: string): Promise<boolean> {
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
 * Queues the merge of a tag into `targetTagId`, or its deletion if `targetTagId` is null. Replaces a pending job that
 * indexes the tag's names.
 */
export async function queueTagBatchJob(tx: Tx, tagId: string, targetTagId: string | null): Promise<void> {
  const job = {
    task: targetTagId === null ? ('delete' as const) : ('merge' as const),
    target_tag_id: targetTagId,
    last_video_id: '',
  }
  await tx
    .insertInto('tag_batch_jobs')
    .values({ tag_id: tagId, ...job })
    .onConflict((conflict) => conflict.column('tag_id').doUpdateSet(job))
    .execute()
  await sql`SELECT pg_notify(${tagBatchJobsChannel}, '')`.execute(tx)
}

/** Claims a pending job that no other process has claimed. Returns undefined if there is none. */
export function claimTagBatchJob(tx: Tx): Promise<TagBatchJob | undefined> {
  return tx
    .selectFrom('tag_batch_jobs')
    .selectAll()
    .orderBy('tag_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

export async function saveIndexProgress(tx: Tx, tagId: string, lastVideoId: string): Promise<void> {
  await tx
    .updateTable('tag_batch_jobs')
    .set({ last_video_id: lastVideoId })
    .where('tag_id', '=', tagId)
    .execute()
}

export async function deleteTagBatchJob(tx: Tx, tagId: string): Promise<void> {
  await tx.deleteFrom('tag_batch_jobs').where('tag_id', '=', tagId).execute()
}

/** Locks and returns the next videos of a tag, in the order of their ids. */
export async function lockNextVideos(
  tx: Tx,
  { tag_id, last_video_id }: TagBatchJob,
  limit: number,
): Promise<string[]> {
  const next = await tx
    .selectFrom('video_tags')
    .select('video_id')
    .where('tag_id', '=', tag_id)
    .where('video_id', '>', last_video_id)
    .orderBy('video_id')
    .limit(limit)
    .execute()
  const ids = next.map(({ video_id }) => video_id)
  await tx
    .selectFrom('videos')
    .select('id')
    .where(sql<boolean>`id = ANY(${ids})`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return ids
}
