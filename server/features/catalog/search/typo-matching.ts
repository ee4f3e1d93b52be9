import type { Language } from '#contract/languages.ts'
import type { SearchTerms, TypedWord } from './search-queries.ts'

/** For each typed word, the indexed words that it may mean; none if nothing is similar. */
export type Choices = string[][]

/** What a search looks for. The cursor contains it, so that later words and videos don't change the order. */
export interface Search {
  join: 'all' | 'any'
  /** The words as they were typed, in plain characters with spaces between. */
  whole: string
  choices: Choices
  /** In which names are offered, beside English. */
  language: Language
}

/** The most candidates for each of so many typed words: all of them have to fit into a cursor. */
export function mostChoices(words: number): number {
  return words === 1 ? 7 : 6
}

/**
 * Finds the candidates of each word: the word itself if it is indexed, and words one typo away if it is not, or if `forgiving`.
 */
export function chooseWords(words: readonly TypedWord[], { forgiving }: { forgiving: boolean }): Choices {
  return words.map(({ word, known, alike }) => {
    const others = alike.filter((other) => other !== word && isOneTypoApart(word, other))
    const chosen = known ? [word] : []
    return forgiving || !known
      ? [...chosen, ...likeliestFirst(word, others)].slice(0, mostChoices(words.length))
      : chosen
  })
}

/**
 * The same for words that are still being typed: the last one stands for all that begin with it (marked by a trailing `*`),
 * and where none does or `forgiving` says so, also for those whose beginning is one typo apart.
 */
export function chooseBeginnings(words: readonly TypedWord[], options: { forgiving: boolean }): Choices {
  const last = words.at(-1)
  if (!last) return []
  const others = last.alike.filter((other) => beginsAlike(last.word, other))
  const likeliest = options.forgiving || !last.known ? likeliestFirst(last.word, others) : []
  const beginning = last.known ? [`${last.word}*`] : []
  return [
    ...chooseWords(words.slice(0, -1), options),
    [...beginning, ...likeliest].slice(0, mostChoices(words.length)),
  ]
}

/** Few mistype a word's first letter, and most have typed the whole word. */
function likeliestFirst(word: string, others: readonly string[]): string[] {
  const unlikeliness = (other: string) =>
    2 * Number(other[0] !== word[0]) + Number(!isOneTypoApart(word, other))
  return others.toSorted((one, other) => unlikeliness(one) - unlikeliness(other))
}

/** The most categories that each of so many typed words stands for: their ids take most of a cursor. */
function mostCategories(words: number): number {
  return words <= 2 ? 5 : 2
}

/** Adds to each word's choices the categories that have one of them in their names: their videos match too. */
export function withCategories(choices: Choices, words: readonly TypedWord[]): Choices {
  return choices.map((group, i) => {
    const matching = (words[i]?.categories ?? []).filter((category) =>
      group.some((choice) => category.words.some((word) => standsFor(choice, word))),
    )
    const lexemes = matching.slice(0, mostCategories(choices.length)).map(({ id }) => `category/${id}`)
    return [...group.slice(0, mostChoices(choices.length) - lexemes.length), ...lexemes]
  })
}

/** Of such choices, those that names are searched for: none where a word stands for categories alone. */
export function choicesOfNames(choices: Choices): Choices {
  const words = choices.map((group) => group.filter((choice) => !isCategory(choice)))
  return words.every((group) => group.length > 0) ? words : []
}

const isCategory = (choice: string) => choice.startsWith('category/')

function standsFor(choice: string, word: string): boolean {
  return choice.endsWith('*') ? word.startsWith(choice.slice(0, -1)) : word === choice
}

/** A search for videos that have all of the words anywhere, or `any` of them, with the names that type-ahead offers for them. */
export function termsFor({ join, whole, choices, language }: Search): SearchTerms {
  const inNames = choicesOfNames(choices)
  const title = quote(`=${whole}`)
  return {
    all: joinChoices(choices, join, present),
    typed: whole.split(' ').map(quote).join(' & '),
    title,
    names: inNames.length > 0 ? nameTermsFor(whole, inNames, language).names : title,
  }
}

/** A trailing `*` matches every word that begins so. */
function present(choice: string): string {
  return choice.endsWith('*') ? `${quote(choice.slice(0, -1))}:*` : quote(choice)
}

/**
 * A search for names in a viewer's language and English. The A stands for names of the thing itself: a video also has its tags' as B.
 */
export function nameTermsFor(whole: string, choices: Choices, language: Language): SearchTerms {
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

/** A word as PostgreSQL's tsquery takes it literally. */
function quote(word: string): string {
  return `'${word.replace(/['\\]/g, '$&$&')}'`
}

/** Whether a character was added, lost or mistaken, or two neighbours changed places, at most once. */
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

/** Whether a word begins like this, give or take one typo. */
export function beginsAlike(beginning: string, word: string): boolean {
  return [-1, 0, 1].some((more) => isOneTypoApart(beginning, word.slice(0, beginning.length + more)))
}
