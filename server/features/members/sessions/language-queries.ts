import { languages, type Language } from '#contract/languages.ts'
import { preparedLookup, type Placeholders } from '#server/platform/database/prepared-query.ts'
import type { Db } from '#server/tables.ts'

const languageOf = preparedLookup((db: Db, { userId }: Placeholders<{ userId: string }>) =>
  db.selectFrom('users').select('language').where('id', '=', userId),
)

/** Returns a user's stored language; null if there is none, or if the user does not exist. */
export async function selectLanguage(db: Db, userId: string): Promise<Language | null> {
  const [row] = await languageOf(db, { userId })
  return languages.find((language) => language === row?.language) ?? null
}
