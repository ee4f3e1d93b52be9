import { languageOf, type Language } from '#contract/languages.ts'

/** Containers and files also name languages by three letters (ISO 639-2, two codes for some), or by their names. */
const otherNames: Record<string, string> = {
  eng: 'en',
  english: 'en',
  spa: 'es',
  spanish: 'es',
  español: 'es',
  espanol: 'es',
  castellano: 'es',
  fra: 'fr',
  fre: 'fr',
  french: 'fr',
  français: 'fr',
  francais: 'fr',
  deu: 'de',
  ger: 'de',
  german: 'de',
  deutsch: 'de',
  por: 'pt',
  portuguese: 'pt',
  português: 'pt',
  portugues: 'pt',
}

/** The language that a media file or its name gives, or undefined if the site does not have it. */
export function languageOfFile(tag: string): Language | undefined {
  const code = tag.normalize('NFC').toLowerCase()
  return languageOf(otherNames[code] ?? code)
}
