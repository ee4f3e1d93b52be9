import type { Language } from '#contract/languages.ts'
import type { Db } from '#server/tables.ts'
import { chooseBeginnings, choicesOfNames, nameTermsFor, withCategories } from './typo-matching.ts'
import { selectTypedWords, suggestTags, suggestTitles, type TypedKeyword } from './search-queries.ts'

/** Type-ahead looks for typos too where fewer names match. */
const fewNames = 3

/** The tags and titles in the viewer's language and English that a keyword offers while it is typed; with typos where few match. */
export async function suggestNames(db: Db, keyword: string, language: Language, limit: number) {
  const exact = await selectTypedWords(db, keyword, { forgiving: false })
  const most = Math.max(limit, fewNames)
  const names = await findNames(db, exact, language, { forgiving: false, limit: most })
  if (!isFew(exact, names)) return names
  const forgiving = await selectTypedWords(db, keyword, { forgiving: true })
  return findNames(db, forgiving, language, { forgiving: true, limit: most })
}

/** Whether type-ahead offers names with typos for these words. */
export async function areTyposSuggested(db: Db, typed: TypedKeyword, language: Language): Promise<boolean> {
  const options = { forgiving: false, limit: fewNames }
  return isFew(typed, await findNames(db, typed, language, options))
}

/** For words that are unknown, similar ones have been tried already. */
function isFew({ words }: TypedKeyword, { tags, titles }: { tags: unknown[]; titles: unknown[] }): boolean {
  return tags.length + titles.length < fewNames && words.some(({ known }) => known)
}

async function findNames(
  db: Db,
  { whole, words }: TypedKeyword,
  language: Language,
  { forgiving, limit }: { forgiving: boolean; limit: number },
) {
  // As a search chooses: of a word that stands for categories it keeps fewer others.
  const choices = choicesOfNames(withCategories(chooseBeginnings(words, { forgiving }), words))
  if (choices.length === 0) return { tags: [], titles: [] }
  const terms = nameTermsFor(whole, choices, language)
  const [tags, titles] = await Promise.all([
    suggestTags(db, terms.all, limit),
    suggestTitles(db, terms, limit),
  ])
  return { tags, titles }
}
