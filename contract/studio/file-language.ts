import { languageOf, type Language } from '#contract/languages.ts'

/** Containers and files name languages by three letters as well (ISO 639-2), some by either of two names. */
const threeLetters: Record<string, string> = {
  eng: 'en',
  spa: 'es',
  fra: 'fr',
  fre: 'fr',
  deu: 'de',
  ger: 'de',
  por: 'pt',
}

/** The language that a media file or its name says, by two letters or three, or undefined where we have none. */
export function languageOfFile(tag: string): Language | undefined {
  const code = tag.toLowerCase()
  return languageOf(threeLetters[code] ?? code)
}
