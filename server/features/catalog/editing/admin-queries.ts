import { sql } from 'kysely'
import { languages, type LocalizedText } from '#contract/languages.ts'
import type { PagePosition } from '#server/platform/database/prepared-page.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { NameRow } from '#server/features/catalog/queries.ts'
import type { LanguageCovers, VideosTable } from '#server/features/catalog/tables.ts'

type State = VideosTable['state']

export interface AdminVideoFilter {
  state?: State | undefined
  /** Each of its words must be the beginning of a word in a title. */
  keyword?: string | undefined
}

interface AdminVideosPage {
  after: PagePosition | undefined
  limit: number
}

/**
 * Number of videos whose titles a search reads along the index of times. Words that fill no page there are rare: about
 * 4,000 of 1,000,000 titles have them, if they are spread evenly.
 */
const recentVideos = 5000

const latestFirst = sql`created_at DESC, id DESC`

/**
 * Selects a page of videos in any state, latest first. The index of words returns all matches, in no order. So a common
 * word is searched in the latest videos first, along the index of times.
 */
export async function selectAdminVideos(
  db: Db,
  { keyword, limit, ...page }: AdminVideoFilter & AdminVideosPage,
) {
  const videos = filterAdminVideos(db, page)
  if (keyword === undefined) return videos.orderBy(latestFirst).limit(limit).execute()
  const matches = matchesWordPrefixes('title_words', keyword)
  const recent = videos
    .select(sql`title_words`.as('title_words'))
    .orderBy(latestFirst)
    .limit(recentVideos)
  const found = await db
    .selectFrom(recent.as('recent'))
    .select(adminColumns)
    .where(matches)
    .orderBy(latestFirst)
    .limit(limit)
    .execute()
  if (found.length === limit) return found
  // Sorts by an expression. Otherwise, PostgreSQL might read all videos in the order of their times.
  const byWords = videos.where(matches).orderBy(sql`created_at + interval '0'`, 'desc')
  return byWords.orderBy('id', 'desc').limit(limit).execute()
}

const adminColumns = [
  'id',
  'titles',
  'state',
  'cover_path',
  'cover_color',
  'language_covers',
  'episode_count',
  'progress',
  'play_count',
  'released_at',
  'created_at',
] as const

function filterAdminVideos(
  db: Db,
  { state, after }: Pick<AdminVideosPage & AdminVideoFilter, 'state' | 'after'>,
) {
  return db
    .selectFrom('videos')
    .select(adminColumns)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'draft'))
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(created_at, id) < (${after?.at}::timestamptz, ${after?.id})`),
    )
}

/** Pattern of the terms for one word, for the function `format`. */
const prefixInAnyLanguage = languages.map((language) => `'${language}/%1$s':*`).join(' | ')

/**
 * SQL condition: each word of `keyword` is the beginning of a word in the column. Compares only the lexemes with a
 * language (`es/amor`), because `e` alone would match all of them. `normalized_words` returns only letters and digits,
 * so its words need no escaping.
 */
export const matchesWordPrefixes = (
  column: 'title_words' | 'words',
  keyword: string,
) => sql<boolean>`${sql.ref(column)} @@ (
  SELECT string_agg(format(${`(${prefixInAnyLanguage})`}, word), ' & ')::tsquery
  FROM unnest(normalized_words(${keyword})) word)`

export interface AdminVideoRecord {
  id: string
  slug: string
  state: State
  titles: LocalizedText
  synopses: LocalizedText
  category: { slug: string; names: LocalizedText } | null
  tags: { slug: string; names: LocalizedText }[]
  badge: 'new' | 'hot' | null
  featured: boolean
  free_episodes: number
  currency: string
  episode_cents: number
  video_cents: number
  cover_path: string | null
  cover_color: string
  language_covers: LanguageCovers
  episode_count: number
  released_at: Date | null
  created_at: Date
}

/** Selects one video in any state; `lock` locks it for the transaction. */
export async function selectAdminVideo(
  db: Db,
  id: string,
  { lock = false } = {},
): Promise<AdminVideoRecord | undefined> {
  return db
    .selectFrom('videos')
    .select(['id', 'slug', 'state', 'titles', 'synopses', 'badge', 'featured', 'free_episodes'])
    .select(['currency', 'episode_cents', 'video_cents', 'cover_path', 'cover_color', 'language_covers'])
    .select(['episode_count', 'released_at', 'created_at'])
    .select([
      sql<{ slug: string; names: LocalizedText } | null>`(
        SELECT json_build_object('slug', slug, 'names', names) FROM categories WHERE id = videos.category_id)`.as(
        'category',
      ),
      sql<{ slug: string; names: LocalizedText }[]>`coalesce((
        SELECT json_agg(json_build_object('slug', slug, 'names', names) ORDER BY position)
        FROM video_tags JOIN tags ON tags.id = tag_id WHERE video_id = videos.id), '[]')`.as('tags'),
    ])
    .where('id', '=', id)
    .$if(lock, (query) => query.forUpdate())
    .executeTakeFirst()
}

export async function updateVideoState(
  tx: Tx,
  id: string,
  changes: { state: State; released_at?: Date | null },
): Promise<void> {
  await tx.updateTable('videos').set(changes).where('id', '=', id).execute()
}

/** SQL condition: true if `selectDueVideos` would find a video. */
export const anyDueVideos =
  "EXISTS (SELECT FROM videos WHERE state = 'scheduled' AND released_at <= $1 AND episode_count > 0)"

/** Selects the ids of scheduled videos that have an episode and whose release time has passed. */
export async function selectDueVideos(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('videos')
    .select('id')
    .where('state', '=', 'scheduled')
    .where('released_at', '<=', now)
    .where('episode_count', '>', 0)
    .orderBy('released_at')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** Publishes a scheduled video if it is still due. */
export async function publishDueVideo(tx: Tx, id: string, now: Date): Promise<void> {
  await tx
    .updateTable('videos')
    .set({ state: 'published' })
    .where('id', '=', id)
    .where('state', '=', 'scheduled')
    .where('released_at', '<=', now)
    .where('episode_count', '>', 0)
    .execute()
}

export interface VideoChanges {
  titles?: LocalizedText
  synopses?: LocalizedText
  category_id?: string | null
  badge?: 'new' | 'hot' | null
  featured?: boolean
  free_episodes?: number
  currency?: string
  episode_cents?: number
  video_cents?: number
}

export async function updateVideo(
  tx: Tx,
  id: string,
  { titles, synopses, ...rest }: VideoChanges,
): Promise<void> {
  const changes = {
    ...rest,
    ...(titles ? { titles: JSON.stringify(titles) } : {}),
    ...(synopses ? { synopses: JSON.stringify(synopses) } : {}),
  }
  if (Object.keys(changes).length === 0) return
  await tx.updateTable('videos').set(changes).where('id', '=', id).execute()
}

/** Selects the price of the latest video, which a new draft copies. */
export function selectLatestPrice(db: Db) {
  return db
    .selectFrom('videos')
    .select(['currency', 'episode_cents', 'video_cents', 'free_episodes'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/**
 * Selects the titles of the previous video: the one that was created just before this video, and whose prices this
 * video copied.
 */
export function selectPreviousVideo(db: Db, id: string) {
  return db
    .selectFrom('videos')
    .select('titles')
    .where(sql<boolean>`(created_at, id) < (SELECT created_at, id FROM videos WHERE id = ${id})`)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Selects those of these slugs that a video has. */
export async function selectUsedSlugs(db: Db, slugs: readonly string[]): Promise<Set<string>> {
  const rows = await db
    .selectFrom('videos')
    .select('slug')
    .where(sql<boolean>`slug = ANY(${slugs})`)
    .execute()
  return new Set(rows.map(({ slug }) => slug))
}

type Label = NameRow & { slug: string }

/** Selects the tags of published videos in the order of their rank. */
export function selectTagsInUse(db: Db, limit: number): Promise<Label[]> {
  return db
    .selectFrom('tags')
    .select(['id', 'slug', 'names'])
    .where('video_count', '>', 0)
    .orderBy('rank')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** Loads titles and currencies of these videos, including drafts. Unknown ids are omitted. */
export async function loadAdminTitles(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, { titles: LocalizedText; currency: string }>> {
  const rows = await db
    .selectFrom('videos')
    .select(['id', 'titles', 'currency'])
    .where(sql<boolean>`id = ANY(${ids})`)
    .execute()
  return new Map(rows.map(({ id, ...row }) => [id, row]))
}
