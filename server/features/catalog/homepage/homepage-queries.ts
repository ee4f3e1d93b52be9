import { sql } from 'kysely'
import type { Insertable } from 'kysely'
import type { LocalizedText } from '#contract/languages.ts'
import type { Db, Tx } from '#server/tables.ts'
import type { SectionsTable } from '#server/features/catalog/tables.ts'

/** Maximum number of tags offered to an operator. */
const maxTagChoices = 300

/** Selects all categories, in the order of the menu, including empty ones. */
export function selectCategories(db: Db) {
  return db
    .selectFrom('categories')
    .select(['id', 'slug', 'names'])
    .orderBy('position')
    .orderBy('slug')
    .execute()
}

/** Selects the tags with the most videos, along the index `tags_used`. */
export function selectTagChoices(db: Db) {
  return db
    .selectFrom('tags')
    .select(['id', 'slug', 'names'])
    .orderBy('video_count', 'desc')
    .orderBy('id', 'desc')
    .limit(maxTagChoices)
    .execute()
}

interface PickedRow {
  id: string
  slug: string
  titles: LocalizedText
}

/** Selects videos by their ids or slugs, in no particular order. */
export function selectPicked(db: Db, by: 'id' | 'slug', values: readonly string[]): Promise<PickedRow[]> {
  return db
    .selectFrom('videos')
    .select(['id', 'slug', 'titles'])
    .where(sql<boolean>`${sql.ref(`videos.${by}`)} = ANY(${values})`)
    .execute()
}

/**
 * Waits until no other transaction is changing the homepage, and blocks further changes until this transaction ends.
 */
export async function lockHomepage(tx: Tx): Promise<void> {
  await sql`LOCK TABLE sections IN SHARE ROW EXCLUSIVE MODE`.execute(tx)
}

/** Replaces all sections with the given ones. */
export async function replaceSections(tx: Tx, rows: readonly Insertable<SectionsTable>[]): Promise<void> {
  await tx.deleteFrom('sections').execute()
  if (rows.length > 0) await tx.insertInto('sections').values(rows).execute()
}

/**
 * Sets the positions of the categories in the order of `ids`. Categories that
 * are not in `ids` follow in their previous order.
 */
export async function updateCategoryPositions(tx: Tx, ids: readonly string[]): Promise<void> {
  await sql`
    WITH named AS (SELECT id, place FROM unnest(${ids}::text[]) WITH ORDINALITY AS named (id, place)),
    placed AS (SELECT c.id, row_number() OVER (ORDER BY named.place NULLS LAST, c.position, c.slug) AS place
      FROM categories c LEFT JOIN named USING (id))
    UPDATE categories SET position = placed.place FROM placed WHERE placed.id = categories.id`.execute(tx)
}
