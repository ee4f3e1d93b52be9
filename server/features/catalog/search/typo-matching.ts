import type { Language } from '#contract/languages.ts'
import type { SearchTerms, TypedWord } from './search-queries.ts'

/** For each typed word, the indexed words that it may mean; empty if no word is similar. */
export type Choices = string[][]

/**
 * A search, and the indexed words that it means. The cursor contains these words, so that words indexed between two
 * pages do not change the results.
 */
export interface Search {
  join: 'all' | 'any'
  /** The typed words without accents, case and punctuation (`normalized_text`), joined by spaces. */
  whole: string
  choices: Choices
  /** The viewer's language, in which names are offered besides English. */
  language: Language
}

/**
 * Returns the maximum number of candidates of each typed word. The limit is needed because all candidates must fit into
 * a cursor.
 */
export function maxChoices(words: number): number {
  return words === 1 ? 7 : 6
}

/**
 * Finds the candidates of each word: the word itself if it is in the index. Adds words one typo apart if the word is
 * not in the index, or if `forgiving`.
 */
export function chooseWords(words: readonly TypedWord[], { forgiving }: { forgiving: boolean }): Choices {
  return words.map(({ word, known, alike }) => {
    const others = alike.filter((other) => other !== word && isOneTypoApart(word, other))
    const chosen = known ? [word] : []
    return forgiving || !known
      ? [...chosen, ...sortByLikelihood(word, others)].slice(0, maxChoices(words.length))
      : chosen
  })
}

/**
 * Finds the candidates of words that are still being typed. The last word matches all words that begin with it, marked
 * by a trailing `*`. If there are none, or if `forgiving`, also finds words whose beginning is one typo apart.
 */
export function choosePrefixes(words: readonly TypedWord[], options: { forgiving: boolean }): Choices {
  const last = words.at(-1)
  if (!last) return []
  const others = last.alike.filter((other) => hasSimilarPrefix(last.word, other))
  const likeliest = options.forgiving || !last.known ? sortByLikelihood(last.word, others) : []
  const beginning = last.known ? [`${last.word}*`] : []
  return [
    ...chooseWords(words.slice(0, -1), options),
    [...beginning, ...likeliest].slice(0, maxChoices(words.length)),
  ]
}

/** Sorts the likeliest words first: the first letter is rarely mistyped, and most words are typed in full. */
function sortByLikelihood(word: string, others: readonly string[]): string[] {
  const unlikeliness = (other: string) =>
    2 * Number(other[0] !== word[0]) + Number(!isOneTypoApart(word, other))
  return others.toSorted((one, other) => unlikeliness(one) - unlikeliness(other))
}

/**
 * Returns the maximum number of categories that each typed word matches. The limit is low because category ids take
 * most of a cursor.
 */
function maxCategories(words: number): number {
  return words <= 2 ? 5 : 2
}

/**
 * Adds to each word's choices the categories whose names contain one of the choices, so that the videos of these
 * categories match too.
 */
export function withCategories(choices: Choices, words: readonly TypedWord[]): Choices {
  return choices.map((group, i) => {
    const matching = (words[i]?.categories ?? []).filter((category) =>
      group.some((choice) => category.words.some((word) => matchesChoice(choice, word))),
    )
    const lexemes = matching.slice(0, maxCategories(choices.length)).map(({ id }) => `category/${id}`)
    return [...group.slice(0, maxChoices(choices.length) - lexemes.length), ...lexemes]
  })
}

/**
 * Removes the categories from the choices, for a search of names. Returns no choices if a word matches only categories.
 */
export function nameChoicesOf(choices: Choices): Choices {
  const words = choices.map((group) => group.filter((choice) => !isCategory(choice)))
  return words.every((group) => group.length > 0) ? words : []
}

const isCategory = (choice: string) => choice.startsWith('category/')

function matchesChoice(choice: string, word: string): boolean {
  return choice.endsWith('*') ? word.startsWith(choice.slice(0, -1)) : word === choice
}

/**
 * Builds the tsqueries of a search. They match videos that contain all typed words (or any, if `join` is `any`), and
 * the names that type-ahead offers.
 */
export function buildSearchTerms({ join, whole, choices, language }: Search): SearchTerms {
  const inNames = nameChoicesOf(choices)
  const title = quote(`=${whole}`)
  return {
    all: joinChoices(choices, join, formatChoice),
    typed: whole.split(' ').map(quote).join(' & '),
    title,
    names: inNames.length > 0 ? buildNameTerms(whole, inNames, language).names : title,
  }
}

/** Formats a choice. A trailing `*` matches every word with that beginning. */
function formatChoice(choice: string): string {
  return choice.endsWith('*') ? `${quote(choice.slice(0, -1))}:*` : quote(choice)
}

/**
 * Builds the tsqueries of a search for names in the viewer's language and English. Matches only words with weight A:
 * the words of the item's own names. The index of a video also contains its tags' names, with weight B.
 */
export function buildNameTerms(whole: string, choices: Choices, language: Language): SearchTerms {
  const languages = language === 'en' ? ['en'] : [language, 'en']
  const inName = (choice: string) => {
    const [word, mark] = choice.endsWith('*') ? [choice.slice(0, -1), ':*A'] : [choice, ':A']
    return languages.map((language) => `${quote(`${language}/${word}`)}${mark}`).join(' | ')
  }
  const names = joinChoices(choices, 'all', inName)
  return { all: names, typed: names, title: quote(`=${whole}`), names }
}

function joinChoices(choices: Choices, join: 'all' | 'any', present: (choice: string) => string): string {
  const groups = choices
    .filter((group) => group.length > 0)
    .map((group) => `(${group.map(present).join(' | ')})`)
  return groups.join(join === 'all' ? ' & ' : ' | ')
}

/** Quotes a word for a tsquery, so that PostgreSQL reads it literally. */
function quote(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`
}

/** Returns whether two words differ by at most one added, missing or wrong character, or one swap of neighbours. */
export function isOneTypoApart(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one]
  if (long.length - short.length > 1) return false
  let start = 0
  while (start < short.length && short[start] === long[start]) start++
  const rest = (word: string, from: number) => word.slice(from)
  if (short.length < long.length) return rest(short, start) === rest(long, start + 1)
  const swapped =
    short[start] === long[start + 1] &&
    short[start + 1] === long[start] &&
    rest(short, start + 2) === rest(long, start + 2)
  return swapped || rest(short, start + 1) === rest(long, start + 1)
}

/** Returns whether a word begins with `beginning`, with at most one typo. */
export function hasSimilarPrefix(beginning: string, word: string): boolean {
  return [-1, 0, 1].some((more) => isOneTypoApart(beginning, word.slice(0, beginning.length + more)))
}
