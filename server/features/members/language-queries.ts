import { languages, type Language } from '#contract/languages.ts'
import type { Db } from '#server/tables.ts'

/** The language that is kept with a user; null where there is none, or no such user. */
export async function selectLanguage(db: Db, userId: string): Promise<Language | null> {
  const row = await db.selectFrom('users').select('language').where('id', '=', userId).executeTakeFirst()
  return languages.find((language) => language === row?.language) ?? null
}
