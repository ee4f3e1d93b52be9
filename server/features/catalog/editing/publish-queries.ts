import { sql } from 'kysely'
import type { Language, LocalizedText } from '#contract/languages.ts'
import { newId } from '#server/platform/ids.ts'
import type { Db, Tx } from '#server/tables.ts'

export interface VideoValues {
  slug: string
  titles: LocalizedText
  synopses: LocalizedText
  category_id: string | null
  badge: 'new' | 'hot' | null
  featured: boolean
  free_episodes: number
  currency: string
  episode_cents: number
  video_cents: number
}

/** Locks the video with this slug, if it exists. */
export async function lockVideoWithSlug(tx: Tx, slug: string): Promise<void> {
  await tx.selectFrom('videos').select('id').where('slug', '=', slug).forNoKeyUpdate().execute()
}

/**
 * Inserts a video in `state`. If the slug exists, updates that video, which keeps its state, release date and cover.
 */
export async function upsertVideo(
  tx: Tx,
  values: VideoValues,
  state: 'draft' | 'scheduled' | 'published',
  releasedAt: Date | null,
  now: Date,
): Promise<string> {
  const row = { ...values, titles: JSON.stringify(values.titles), synopses: JSON.stringify(values.synopses) }
  const { slug: _, ...changes } = row
  const { id } = await tx
    .insertInto('videos')
    .values({ id: newId('vid'), ...row, state, released_at: releasedAt, created_at: now })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet(changes))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/**
 * Returns the id of the category or tag with this slug. If there is none, creates it with these names; a new category
 * is the last in the menu. An existing label keeps its names and position.
 */
export async function upsertLabel(
  tx: Tx,
  table: 'categories' | 'tags',
  slug: string,
  names: LocalizedText,
): Promise<string> {
  const row = { id: newId(table === 'tags' ? 'tag' : 'cat'), slug, names: JSON.stringify(names) }
  const lastPosition = { position: sql<number>`(SELECT coalesce(max(position), 0) + 1 FROM categories)` }
  const { id } = await tx
    .insertInto(table)
    .values(table === 'tags' ? row : { ...row, ...lastPosition })
    .onConflict((conflict) => conflict.column('slug').doUpdateSet({ slug }))
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Sets a video's tags in this order. The rows of tags that the video already has are updated, not inserted again. */
export async function replaceVideoTags(tx: Tx, videoId: string, tagIds: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('video_tags')
    .where('video_id', '=', videoId)
    .where(sql<boolean>`tag_id <> ALL(${tagIds})`)
    .execute()
  const rows = tagIds.map((tag_id, position) => ({ video_id: videoId, tag_id, position }))
  if (rows.length === 0) return
  // Inserts in a fixed order, so that two transactions cannot deadlock.
  rows.sort((a, b) => (a.tag_id < b.tag_id ? -1 : 1))
  await tx
    .insertInto('video_tags')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['video_id', 'tag_id'])
        .doUpdateSet((eb) => ({ position: eb.ref('excluded.position') })),
    )
    .execute()
}

/** Key prefix of covers made from a blurred still. Any other cover replaces such a cover. */
export const placeholderCoverPrefix = 'public/covers/still-'

export async function updateCover(
  db: Db,
  videoId: string,
  cover: { path: string; color: string },
  { onlyIfMissing }: { onlyIfMissing: boolean },
): Promise<void> {
  await db
    .updateTable('videos')
    .set({ cover_path: cover.path, cover_color: cover.color })
    .where('id', '=', videoId)
    .$if(onlyIfMissing, (query) =>
      query.where((eb) =>
        eb.or([eb('cover_path', 'is', null), eb('cover_path', 'like', `${placeholderCoverPrefix}%`)]),
      ),
    )
    .execute()
}

/** Sets the cover for the viewers of one language. Null removes it. */
export async function updateLanguageCover(
  db: Db,
  videoId: string,
  language: Language,
  cover: { path: string; color: string } | null,
): Promise<void> {
  const language_covers = cover
    ? sql<string>`language_covers || ${JSON.stringify({ [language]: cover })}::jsonb`
    : sql<string>`language_covers - ${language}::text`
  await db.updateTable('videos').set({ language_covers }).where('id', '=', videoId).execute()
}

export async function updateEpisodes(
  db: Db,
  videoId: string,
  { count, progress }: { count: number; progress: number | null },
): Promise<void> {
  await db
    .updateTable('videos')
    .set({ episode_count: count, progress })
    .where('id', '=', videoId)
    .where(sql<boolean>`(episode_count, progress) IS DISTINCT FROM (${count}::integer, ${progress}::integer)`)
    .execute()
}

/**
 * Publishes a scheduled video without a release date; such a video waits for its first episode. Returns false for any
 * other video.
 */
export async function publishWaitingVideo(db: Db, videoId: string, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('videos')
    .set({ state: 'published', released_at: now })
    .where('id', '=', videoId)
    .where('state', '=', 'scheduled')
    .where('released_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

export function selectVideoCover(db: Db, id: string) {
  return db.selectFrom('videos').select('cover_path').where('id', '=', id).executeTakeFirst()
}
