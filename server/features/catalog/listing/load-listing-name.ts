import { textInLanguage, type Language } from '#contract/languages.ts'
import type { Db } from '#server/tables.ts'
import * as queries from '#server/features/catalog/queries.ts'

export type ListingKind = 'category' | 'section' | 'tag'

/** Returns the name of a listing, or undefined if the listing does not exist. */
export async function loadListingName(
  db: Db,
  kind: ListingKind,
  id: string,
  language: Language,
): Promise<string | undefined> {
  const names =
    kind === 'section'
      ? (await queries.selectSection(db, id))?.titles
      : (await (kind === 'tag' ? queries.selectTag : queries.selectCategory)(db, id))?.names
  return names && textInLanguage(names, language)
}

/** Lists the ids of the categories with published videos, in the order of the menu. */
export async function listMenuIds(db: Db): Promise<string[]> {
  return (await queries.selectMenu(db)).map(({ id }) => id)
}
