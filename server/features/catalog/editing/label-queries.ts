import { sql } from 'kysely'
import type { Language, LocalizedText } from '#contract/languages.ts'
import type { Db, Tx } from '#server/tables.ts'
import { matchesWordPrefixes } from './admin-queries.ts'

/** The kinds of labels: categories and tags. */
export type LabelKind = 'tag' | 'category'

export interface Label {
  kind: LabelKind
  id: string
}

export interface LabelRecord {
  id: string
  slug: string
  names: LocalizedText
}

const tableOf = (kind: LabelKind) => sql.table(kind === 'tag' ? 'tags' : 'categories')

interface TagsQuery {
  /** Each of its words must be the beginning of a word in a name. */
  keyword: string | undefined
  after: { video_count: number; id: string } | undefined
  limit: number
}

/**
 * Selects a page of tags, those with most published videos first. Uses the
 * index `tags_used`, or `tags_words` for a search.
 */
export function selectAdminTags(db: Db, { keyword, after, limit }: TagsQuery) {
  // A search sorts by an expression. Otherwise, PostgreSQL might scan all of `tags_used` instead of using `tags_words`.
  const videoCount = keyword === undefined ? sql<number>`video_count` : sql<number>`video_count + 0`
  return db
    .selectFrom('tags')
    .select(['id', 'slug', 'names', 'video_count'])
    .select(({ selectFrom }) =>
      selectFrom('tag_batch_jobs').select('task').whereRef('tag_id', '=', 'tags.id').as('running_task'),
    )
    .$if(keyword !== undefined, (query) => query.where(matchesWordPrefixes('words', keyword ?? '')))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(${videoCount}, id) < (${after?.video_count}::integer, ${after?.id})`),
    )
    .orderBy(videoCount, 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
}

/** SQL query for the ids of the videos that have a label, including drafts. */
export const videosWithLabel = ({ kind, id }: Label) =>
  kind === 'tag'
    ? sql`SELECT video_id AS id FROM video_tags WHERE tag_id = ${id}`
    : sql`SELECT id FROM videos WHERE category_id = ${id}`

/** Locks the videos that have a label, including drafts. */
export async function lockVideosWithLabel(tx: Tx, label: Label): Promise<void> {
  await sql`SELECT count(*) FROM (
    SELECT id FROM videos WHERE id IN (${videosWithLabel(label)}) ORDER BY id FOR NO KEY UPDATE) held`.execute(
    tx,
  )
}

/**
 * Locks labels in the order of their slugs (see `lockTags` in rank-queries.ts). Until the end of the transaction, no
 * other transaction can add these labels to a video.
 */
export async function lockLabels(
  tx: Tx,
  kind: LabelKind,
  ids: readonly string[],
): Promise<Map<string, LabelRecord>> {
  const { rows } = await sql<LabelRecord>`
    SELECT id, slug, names FROM ${tableOf(kind)} WHERE id = ANY(${ids}) ORDER BY slug COLLATE "C" FOR UPDATE`.execute(
    tx,
  )
  return new Map(rows.map((row) => [row.id, row]))
}

/**
 * Waits until no other transaction is changing names of labels, and blocks further changes until this transaction ends.
 */
export async function lockNames(tx: Tx): Promise<void> {
  await sql`SELECT pg_advisory_xact_lock(hashtextextended('label names', 0))`.execute(tx)
}

/**
 * Returns whether another label has this name in the language, ignoring case. For tags, uses the index `tags_words`.
 * The index has no names that consist of punctuation; for such a name, all tags are scanned.
 */
export async function isNameTaken(
  tx: Tx,
  kind: LabelKind,
  { id, language, name }: { id: string; language: Language; name: string },
): Promise<boolean> {
  const sameName = sql`SELECT 1 FROM ${tableOf(kind)}
    WHERE id <> ${id} AND lower(names ->> ${language}) = lower(${name})`
  const query =
    kind === 'tag'
      ? sql`${sameName} AND ${matchesWordPrefixes('words', name)}
          UNION ALL ${sameName} AND normalized_words(${name}) = '{}'`
      : sameName
  const { rows } = await sql`${query} LIMIT 1`.execute(tx)
  return rows.length > 0
}

export async function updateNames(tx: Tx, kind: LabelKind, id: string, names: LocalizedText): Promise<void> {
  await sql`UPDATE ${tableOf(kind)} SET names = ${JSON.stringify(names)}::jsonb WHERE id = ${id}`.execute(tx)
}

/** Counts the videos with a label, in any state. Stops counting at `limit`. */
export async function countVideos(tx: Tx, label: Label, limit: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    SELECT count(*)::integer AS count FROM (${videosWithLabel(label)} LIMIT ${limit}) counted`.execute(tx)
  return rows[0]?.count ?? 0
}

/** Updates the search index of these videos. */
export async function indexVideos(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`SELECT index_videos(${ids}::text[])`.execute(tx)
}

const isOneOf = (column: 'id' | 'video_id', ids: readonly string[] | undefined) =>
  ids === undefined ? sql<boolean>`true` : sql<boolean>`${sql.ref(column)} = ANY(${ids}::text[])`

/**
 * Replaces a label with another in all its videos, or only in `videoIds`.
 * @returns how many videos had it
 */
export async function replaceLabel(
  tx: Tx,
  { kind, id }: Label,
  into: string,
  videoIds?: readonly string[],
): Promise<number> {
  return kind === 'tag' ? replaceTag(tx, id, into, videoIds) : setCategory(tx, id, into, videoIds)
}

/** Replaces a tag with another. A video that has both tags keeps the position of the tag `into`. */
async function replaceTag(
  tx: Tx,
  from: string,
  into: string,
  videoIds: readonly string[] | undefined,
): Promise<number> {
  const { rows } = await sql<{ video_id: string }>`
    UPDATE video_tags SET tag_id = ${into} WHERE tag_id = ${from} AND ${isOneOf('video_id', videoIds)} AND NOT EXISTS (
      SELECT FROM video_tags other WHERE other.video_id = video_tags.video_id AND other.tag_id = ${into}
    ) RETURNING video_id`.execute(tx)
  const ids = rows.map(({ video_id }) => video_id)
  // The triggers of the search index handle inserted and deleted rows, but not a row whose tag changes.
  await indexVideos(tx, ids)
  return ids.length + (await removeLabel(tx, { kind: 'tag', id: from }, videoIds))
}

/** Adds a tag's trending score to the score of the tag that replaces it. */
export async function mergeTrendingScore(tx: Tx, from: string, into: string): Promise<void> {
  await sql`UPDATE tags SET trending_score = tags.trending_score + former.trending_score FROM tags former
    WHERE former.id = ${from} AND tags.id = ${into}`.execute(tx)
}

async function setCategory(
  tx: Tx,
  from: string,
  into: string | null,
  videoIds: readonly string[] | undefined,
): Promise<number> {
  const { numUpdatedRows } = await tx
    .updateTable('videos')
    .set({ category_id: into })
    .where('category_id', '=', from)
    .where(isOneOf('id', videoIds))
    .executeTakeFirst()
  return Number(numUpdatedRows)
}

/** Removes a label from all videos, or only from `videoIds`. @returns how many videos had it */
export async function removeLabel(
  tx: Tx,
  { kind, id }: Label,
  videoIds?: readonly string[],
): Promise<number> {
  if (kind === 'category') return setCategory(tx, id, null, videoIds)
  const { numDeletedRows } = await tx
    .deleteFrom('video_tags')
    .where('tag_id', '=', id)
    .where(isOneOf('video_id', videoIds))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function deleteLabelRow(tx: Tx, kind: LabelKind, id: string): Promise<void> {
  await sql`DELETE FROM ${tableOf(kind)} WHERE id = ${id}`.execute(tx)
}

const isSourcedFrom = (kind: LabelKind, slug: string) =>
  sql<boolean>`source ->> 'type' = ${kind} AND source ->> 'slug' = ${slug}`

/** Returns whether a homepage section shows the videos of a label. */
export async function isUsedInSection(tx: Tx, kind: LabelKind, slug: string): Promise<boolean> {
  const section = await tx
    .selectFrom('sections')
    .select('id')
    .where(isSourcedFrom(kind, slug))
    .executeTakeFirst()
  return section !== undefined
}

/** Replaces a label with another in homepage sections. @returns the ids of the changed sections */
export async function replaceSectionLabel(
  tx: Tx,
  kind: LabelKind,
  from: string,
  into: string,
): Promise<string[]> {
  const rows = await tx
    .updateTable('sections')
    .set({ source: JSON.stringify({ type: kind, slug: into }) })
    .where(isSourcedFrom(kind, from))
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
