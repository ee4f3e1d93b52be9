import { sql } from 'kysely'
import { jsonArrayFrom } from 'kysely/helpers/postgres'
import type { LocalizedText } from '#contract/languages.ts'
import type { Insertable, Selectable } from 'kysely'
import { preparedLookup, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { SectionsTable, VideosTable } from './tables.ts'

export interface NameRow {
  id: string
  names: LocalizedText
}

const cardColumns = [
  'videos.id',
  'videos.titles',
  'videos.cover_path',
  'videos.cover_color',
  'videos.language_covers',
  'videos.episode_count',
  'videos.free_episodes',
  'videos.play_count',
  'videos.badge',
  'videos.progress',
] as const

/** Selects the columns of a card, with the video's tags in order. */
export function selectCards(db: Db) {
  return db
    .selectFrom('videos')
    .select(cardColumns)
    .select((eb) =>
      jsonArrayFrom(
        eb
          .selectFrom('video_tags')
          .innerJoin('tags', 'tags.id', 'video_tags.tag_id')
          .select(['tags.id', 'tags.names'])
          .whereRef('video_tags.video_id', '=', 'videos.id')
          .orderBy('video_tags.position'),
      )
        .$castTo<NameRow[]>()
        .as('tags'),
    )
}
/** Columns that determine which cover a viewer sees. */
export type CoverColumns = Pick<Selectable<VideosTable>, 'cover_path' | 'cover_color' | 'language_covers'>

export type CardRow = Awaited<ReturnType<ReturnType<typeof selectCards>['executeTakeFirstOrThrow']>>

/**
 * A literal instead of a parameter. With a parameter, a prepared statement could not use the partial indexes of
 * published videos.
 */
export const isPublished = sql<boolean>`videos.state = 'published'`

/** The columns of a card, with the ids of its tags. The tags' names are cached separately (`withTags`). */
export const plainCardColumns = [...cardColumns, 'videos.tag_ids'] as const
export type PlainCardRow = Awaited<ReturnType<typeof selectCardsByIds>>[number]

const cardsByIds = preparedLookup((db: Db, { ids }: Placeholders<{ ids: readonly string[] }>) =>
  db
    .selectFrom('videos')
    .select(plainCardColumns)
    .where(sql<boolean>`videos.id = ANY(${ids})`)
    .where('videos.state', 'in', ['published', 'archived']),
)

/**
 * Loads the cards of these videos with their tag ids, in no particular order. Includes archived videos, for viewers
 * with access.
 */
export function selectCardsByIds(db: Db, ids: readonly string[]) {
  return cardsByIds(db, { ids })
}

const tagNames = preparedLookup((db: Db, { ids }: Placeholders<{ ids: readonly string[] }>) =>
  db
    .selectFrom('tags')
    .select(['id', 'names'])
    .where(sql<boolean>`id = ANY(${ids})`),
)

/** Selects the names of these tags, in no particular order. */
export function selectTagNames(db: Db, ids: readonly string[]): Promise<NameRow[]> {
  return tagNames(db, { ids })
}

/** Loads a video with all data of its page; undefined if it is not visible. */
export function selectVideo(db: Db, id: string) {
  return selectCards(db)
    .leftJoin('categories', 'categories.id', 'videos.category_id')
    .select([
      'videos.synopses',
      'videos.released_at',
      'videos.category_id',
      'categories.names as category_names',
      'videos.favorite_count',
      'videos.share_count',
      'videos.currency',
      'videos.episode_cents',
      'videos.video_cents',
    ])
    .where('videos.id', '=', id)
    .where('videos.state', 'in', ['published', 'archived'])
    .executeTakeFirst()
}

export function selectSections(db: Db) {
  return db.selectFrom('sections').selectAll().orderBy('position').execute()
}

export function selectSection(db: Db, id: string) {
  return db.selectFrom('sections').selectAll().where('id', '=', id).executeTakeFirst()
}

/** Selects the categories with published videos, in the operator's order. */
export function selectMenu(db: Db) {
  return db
    .selectFrom('categories')
    .select(['id', 'names'])
    .where((eb) =>
      eb.exists(
        eb.selectFrom('videos').select('id').whereRef('category_id', '=', 'categories.id').where(isPublished),
      ),
    )
    .orderBy('position')
    .orderBy('slug')
    .execute()
}

export function selectCategory(db: Db, id: string) {
  return db.selectFrom('categories').select(['id', 'names']).where('id', '=', id).executeTakeFirst()
}

export function selectTag(db: Db, id: string) {
  return db.selectFrom('tags').select(['id', 'names']).where('id', '=', id).executeTakeFirst()
}

export async function selectSettings(db: Db): Promise<Map<string, object>> {
  const rows = await db.selectFrom('settings').selectAll().execute()
  return new Map(rows.map(({ key, value }) => [key, value]))
}

/**
 * Marks the homepage as created.
 * @returns whether this call was the first to mark it
 */
export async function markHomepageSeeded(tx: Tx): Promise<boolean> {
  const result = await tx
    .insertInto('settings')
    .values({ key: 'homepage_seeded', value: '{}' })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return Number(result.numInsertedOrUpdatedRows) === 1
}

export async function insertSections(tx: Tx, rows: Insertable<SectionsTable>[]): Promise<void> {
  await tx.insertInto('sections').values(rows).execute()
}

export async function hasNoVideo(db: Db): Promise<boolean> {
  return (await db.selectFrom('videos').select('id').limit(1).executeTakeFirst()) === undefined
}

export async function selectSetting(db: Db, key: string): Promise<object | undefined> {
  return (await db.selectFrom('settings').select('value').where('key', '=', key).executeTakeFirst())?.value
}

/** Reads a setting and locks it for the transaction. */
export async function lockSetting(tx: Tx, key: string): Promise<object | undefined> {
  const row = await tx
    .selectFrom('settings')
    .select('value')
    .where('key', '=', key)
    .forUpdate()
    .executeTakeFirst()
  return row?.value
}

export async function insertSetting(db: Db, key: string, value: object): Promise<void> {
  await db
    .insertInto('settings')
    .values({ key, value: JSON.stringify(value) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function upsertSetting(db: Db, key: string, value: object): Promise<void> {
  const text = JSON.stringify(value)
  await db
    .insertInto('settings')
    .values({ key, value: text })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
    .execute()
}

/** Selects the synopses of videos by id. */
export async function selectSynopses(db: Db, ids: readonly string[]): Promise<Map<string, LocalizedText>> {
  if (ids.length === 0) return new Map()
  const rows = await db.selectFrom('videos').select(['id', 'synopses']).where('id', 'in', ids).execute()
  return new Map(rows.map(({ id, synopses }) => [id, synopses]))
}
