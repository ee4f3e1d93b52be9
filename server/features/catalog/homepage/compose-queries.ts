import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import type { Texts } from '#contract/languages.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { SectionsTable } from '#server/features/catalog/tables.ts'

/** No operator looks through more tags than that. */
const mostTags = 300

/** All categories, in the order of the menu, whether or not they have anything to show. */
export function selectCategories(db: Db) {
  return db
    .selectFrom('categories')
    .select(['id', 'slug', 'names'])
    .orderBy('position')
    .orderBy('slug')
    .execute()
}

/** The tags of most videos. */
export function selectTagChoices(db: Db) {
  return db
    .selectFrom('tags')
    .select(['id', 'slug', 'names'])
    .orderBy('video_count', 'desc')
    .orderBy('id')
    .limit(mostTags)
    .execute()
}

interface PickedRow {
  id: string
  slug: string
  titles: Texts
}

/** Videos by their ids or slugs, in no order. */
export function selectPicked(db: Db, by: 'id' | 'slug', values: readonly string[]): Promise<PickedRow[]> {
  return db
    .selectFrom('videos')
    .select(['id', 'slug', 'titles'])
    .where(sql<boolean>`${sql.ref(`videos.${by}`)} = ANY(${values})`)
    .execute()
}

/** Only one transaction at a time changes the homepage. */
export async function lockHomepage(tx: Tx): Promise<void> {
  await sql`LOCK TABLE sections IN SHARE ROW EXCLUSIVE MODE`.execute(tx)
}

/** Puts these sections instead of those that are there. */
export async function replaceSections(tx: Tx, rows: readonly Insertable<SectionsTable>[]): Promise<void> {
  await tx.deleteFrom('sections').execute()
  if (rows.length > 0) await tx.insertInto('sections').values(rows).execute()
}

/** Numbers the categories in this order; those that are not named come after them, as they were. */
export async function orderCategories(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`
    WITH named AS (SELECT id, place FROM unnest(${ids}::text[]) WITH ORDINALITY AS named (id, place)),
    placed AS (SELECT c.id, row_number() OVER (ORDER BY named.place NULLS LAST, c.position, c.slug) AS place
      FROM categories c LEFT JOIN named USING (id))
    UPDATE categories SET position = placed.place FROM placed WHERE placed.id = categories.id`.execute(tx)
}
