import { sql, type Selectable } from 'kysely'
import type { Tx } from '#server/tables.ts'
import type { TagWorkTable } from '#server/features/catalog/tables.ts'

/** Channel that notifies the worker of pending work. */
export const tagWorkChannel = 'tag_work'

/** True while there is pending work. */
export const anyTagWork = 'EXISTS (SELECT FROM tag_work)'

export type TagWork = Selectable<TagWorkTable>

/** Locks the pending work of a tag; undefined if there is none. */
export function lockTagWork(tx: Tx, tagId: string): Promise<TagWork | undefined> {
  return tx.selectFrom('tag_work').selectAll().where('tag_id', '=', tagId).forUpdate().executeTakeFirst()
}

/** Returns whether one of these tags is being deleted, or another is being merged into one of those that will be deleted. */
export async function isBeingDeleted(tx: Tx, ids: readonly string[], deletedId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('tag_work')
    .select('tag_id')
    .where((eb) =>
      eb.or([
        eb('tag_id', 'in', ids).and('task', '<>', 'index'),
        // A literal, for the partial index.
        eb('into_id', 'is not', null).and('into_id', '=', deletedId),
      ]),
    )
    .executeTakeFirst()
  return row !== undefined
}

/** Queues the replacement or removal of a tag in its videos. This supersedes pending indexing for its names. */
export async function queueTagWork(tx: Tx, tagId: string, intoId: string | null): Promise<void> {
  const work = {
    task: intoId === null ? ('delete' as const) : ('merge' as const),
    into_id: intoId,
    after_video: '',
  }
  await tx
    .insertInto('tag_work')
    .values({ tag_id: tagId, ...work })
    .onConflict((conflict) => conflict.column('tag_id').doUpdateSet(work))
    .execute()
  await sql`SELECT pg_notify(${tagWorkChannel}, '')`.execute(tx)
}

/** Claims some pending work that no other process has. */
export function claimTagWork(tx: Tx): Promise<TagWork | undefined> {
  return tx
    .selectFrom('tag_work')
    .selectAll()
    .orderBy('tag_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

export async function saveIndexProgress(tx: Tx, tagId: string, lastVideo: string): Promise<void> {
  await tx.updateTable('tag_work').set({ after_video: lastVideo }).where('tag_id', '=', tagId).execute()
}

export async function deleteTagWork(tx: Tx, tagId: string): Promise<void> {
  await tx.deleteFrom('tag_work').where('tag_id', '=', tagId).execute()
}

/** Locks and returns the next videos of a tag, in the order of their ids. */
export async function lockNextVideos(
  tx: Tx,
  { tag_id, after_video }: TagWork,
  limit: number,
): Promise<string[]> {
  const next = await tx
    .selectFrom('video_tags')
    .select('video_id')
    .where('tag_id', '=', tag_id)
    .where('video_id', '>', after_video)
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
