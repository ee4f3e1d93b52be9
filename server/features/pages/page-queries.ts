import { sql } from 'kysely'
import type { Language } from '#contract/languages.ts'
import type { PageName } from '#contract/pages.ts'
import type { Db, Tx } from '#server/tables.ts'

/** Returns when each of the operator's texts was last changed. */
export function selectTextDates(db: Db) {
  return db.selectFrom('page_texts').select(['name', 'language', 'updated_at']).execute()
}

export function selectText(db: Db, name: PageName, language: Language) {
  return db
    .selectFrom('page_texts')
    .select(['markdown', 'updated_at'])
    .where('name', '=', name)
    .where('language', '=', language)
    .executeTakeFirst()
}

/** Locks the table of texts, so that only one transaction at a time changes texts. */
export async function lockTexts(tx: Tx): Promise<void> {
  await sql`LOCK TABLE page_texts IN SHARE ROW EXCLUSIVE MODE`.execute(tx)
}

export async function upsertText(
  tx: Tx,
  text: { name: PageName; language: Language; markdown: string; updated_at: Date },
): Promise<void> {
  const { markdown, updated_at } = text
  await tx
    .insertInto('page_texts')
    .values(text)
    .onConflict((conflict) => conflict.columns(['name', 'language']).doUpdateSet({ markdown, updated_at }))
    .execute()
}

export async function deleteText(tx: Tx, name: PageName, language: Language): Promise<void> {
  await tx.deleteFrom('page_texts').where('name', '=', name).where('language', '=', language).execute()
}

export async function selectIcon(db: Db, hash: string): Promise<Buffer | undefined> {
  const row = await db.selectFrom('site_icons').select('picture').where('hash', '=', hash).executeTakeFirst()
  return row?.picture
}

export async function insertIcon(tx: Tx, icon: { hash: string; picture: Buffer }): Promise<void> {
  await tx.insertInto('site_icons').values(icon).execute()
}

export async function deleteIcons(tx: Tx): Promise<void> {
  await tx.deleteFrom('site_icons').execute()
}
