import { languageFromTag, type Language } from '#contract/languages.ts'

/** ISO 639-2 codes (some languages have two) and names of languages, as used in media containers and file names. */
const languageNames: Record<string, string> = {
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

/** Returns the language of a tag in a media file or file name, or undefined if the site does not support it. */
export function languageFromFileTag(tag: string): Language | undefined {
  const code = tag.normalize('NFC').toLowerCase()
  return languageFromTag(languageNames[code] ?? code)
}
