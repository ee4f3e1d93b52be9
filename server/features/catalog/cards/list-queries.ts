import { sql, type Expression, type SqlBool } from 'kysely'
import type { Db } from '#server/tables.ts'
import {
  currentRankingVersion,
  selectPopularAfter,
  type ListedRow,
  type ListPosition,
} from '#server/features/catalog/ranking/popular-queries.ts'
import { isPublished, selectCards } from '#server/features/catalog/queries.ts'

export type { ListedRow, ListPosition } from '#server/features/catalog/ranking/popular-queries.ts'

export type ListFilter =
  | { by: 'all' | 'featured' }
  | { by: 'category'; slug: string }
  | { by: 'category-id'; id: string }
  | { by: 'tag'; slug: string }
  | { by: 'tag-id'; id: string }
  | { by: 'slugs'; slugs: string[] }

export type ListOrder = 'newest' | 'popular'

const sortColumns = { newest: 'released_at', popular: 'popularity' } as const

/**
 * Selects published videos in order, after a position. Each list is read along an index. Hand-picked videos are always
 * in the order of `slugs`, whatever order is requested.
 */
export function selectVideos(
  db: Db,
  filter: ListFilter,
  order: ListOrder,
  after: ListPosition | undefined,
  limit: number,
): Promise<ListedRow[]> {
  switch (filter.by) {
    case 'tag':
      return selectTagged(db, sql`(SELECT id FROM tags WHERE slug = ${filter.slug})`, order, after, limit)
    case 'tag-id':
      return selectTagged(db, sql`${filter.id}`, order, after, limit)
    case 'slugs':
      return selectPicked(db, filter.slugs, after, limit)
    default:
      return selectOrdered(db, conditionOf(filter), order, after, limit)
  }
}

type PlainFilter = Exclude<ListFilter, { by: 'tag' | 'tag-id' | 'slugs' }>

function conditionOf(filter: PlainFilter): Expression<SqlBool> {
  switch (filter.by) {
    case 'all':
      return sql<boolean>`true`
    case 'featured':
      return sql<boolean>`videos.featured`
    case 'category':
      return sql<boolean>`videos.category_id = (SELECT id FROM categories WHERE slug = ${filter.slug})`
    case 'category-id':
      return sql<boolean>`videos.category_id = ${filter.id}`
  }
}

function selectOrdered(
  db: Db,
  condition: Expression<SqlBool>,
  order: ListOrder,
  after: ListPosition | undefined,
  limit: number,
) {
  if (after && order === 'popular') {
    const columns = { videoId: sql<string>`videos.id`, popularity: sql<number>`videos.popularity` }
    const ranked = { from: sql`videos`, ...columns, condition: sql<boolean>`${isPublished} AND ${condition}` }
    return selectPopularAfter(db, ranked, after, limit)
  }
  const column = `videos.${sortColumns[order]}` as const
  return selectCards(db)
    .select([`${column} as key`, currentRankingVersion.as('version')])
    .where(isPublished)
    .where(condition)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(${sql.ref(column)}, videos.id) < (${after?.key}, ${after?.id})`),
    )
    .orderBy(column, 'desc')
    .orderBy('videos.id', 'desc')
    .limit(limit)
    .execute()
}

function selectTagged(
  db: Db,
  tagId: Expression<unknown>,
  order: ListOrder,
  after: ListPosition | undefined,
  limit: number,
) {
  if (after && order === 'popular') {
    const columns = { videoId: sql<string>`listed.video_id`, popularity: sql<number>`listed.popularity` }
    const condition = sql<boolean>`listed.tag_id = ${tagId} AND listed.released_at IS NOT NULL`
    return selectPopularAfter(db, { from: sql`video_tags listed`, ...columns, condition }, after, limit)
  }
  const column = `listed.${sortColumns[order]}` as const
  return selectCards(db)
    .innerJoin('video_tags as listed', 'listed.video_id', 'videos.id')
    .select([`${column} as key`, currentRankingVersion.as('version')])
    .where(sql<boolean>`listed.tag_id = ${tagId}`)
    .where('listed.released_at', 'is not', null)
    .$if(after !== undefined, (query) =>
      query.where(sql<boolean>`(${sql.ref(column)}, listed.video_id) < (${after?.key}, ${after?.id})`),
    )
    .orderBy(column, 'desc')
    .orderBy('listed.video_id', 'desc')
    .limit(limit)
    .execute()
}

function selectPicked(db: Db, slugs: readonly string[], after: ListPosition | undefined, limit: number) {
  const position = sql<number>`array_position(${slugs}::text[], videos.slug)`
  return selectCards(db)
    .select(position.as('key'))
    .where(isPublished)
    .where(sql<boolean>`videos.slug = ANY(${slugs})`)
    .where(sql<boolean>`${position} > ${after?.key ?? 0}`)
    .orderBy('key')
    .limit(limit)
    .execute()
}
