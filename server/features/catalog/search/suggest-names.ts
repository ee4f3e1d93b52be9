import type { Language } from '#contract/languages.ts'
import type { Db } from '#server/tables.ts'
import { choosePrefixes, nameChoicesOf, buildNameTerms, withCategories } from './typo-matching.ts'
import { selectTypedWords, suggestTags, suggestTitles, type TypedKeyword } from './search-queries.ts'

/** If fewer names than this match, type-ahead also allows typos. */
const typoThreshold = 3

/**
 * Suggests tags and titles for a keyword that is being typed, by their names in the viewer's language and English.
 * Allows typos if few names match.
 */
export async function suggestNames(db: Db, keyword: string, language: Language, limit: number) {
  const exact = await selectTypedWords(db, keyword, { forgiving: false })
  const maxNames = Math.max(limit, typoThreshold)
  const names = await findNames(db, exact, language, { forgiving: false, limit: maxNames })
  if (!areTooFew(exact, names)) return names
  const forgiving = await selectTypedWords(db, keyword, { forgiving: true })
  return findNames(db, forgiving, language, { forgiving: true, limit: maxNames })
}

/** Returns whether type-ahead allows typos in these words. */
export async function areTyposSuggested(db: Db, typed: TypedKeyword, language: Language): Promise<boolean> {
  const options = { forgiving: false, limit: typoThreshold }
  return areTooFew(typed, await findNames(db, typed, language, options))
}

/**
 * Returns whether too few names match and a second search that allows typos may find more. For words that are not in
 * the index, the first search has already allowed typos.
 */
function areTooFew(
  { words }: TypedKeyword,
  { tags, titles }: { tags: unknown[]; titles: unknown[] },
): boolean {
  return tags.length + titles.length < typoThreshold && words.some(({ known }) => known)
}

async function findNames(
  db: Db,
  { whole, words }: TypedKeyword,
  language: Language,
  { forgiving, limit }: { forgiving: boolean; limit: number },
) {
  // Chooses words as a search does, so that both find the same names. In a search, categories take the place of some
  // similar words. So they are added here too, and then removed.
  const choices = nameChoicesOf(withCategories(choosePrefixes(words, { forgiving }), words))
  if (choices.length === 0) return { tags: [], titles: [] }
  const terms = buildNameTerms(whole, choices, language)
  const [tags, titles] = await Promise.all([
    suggestTags(db, terms.all, limit),
    suggestTitles(db, terms, limit),
  ])
  return { tags, titles }
}
