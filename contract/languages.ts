/** The languages of the interface. `fy` is French and `dy` is German; the first is the default and the fallback. */
export const languages = ['en', 'es', 'fy', 'dy', 'pt'] as const
export type Language = (typeof languages)[number]

/** The languages that a site offers, the default first. */
export type OfferedLanguages = readonly [Language, ...Language[]]

/** A text in several languages; `en` is always present. */
export type LocalizedText = { en: string } & Partial<Record<Language, string>>

/** The BCP 47 code of each language, for `lang`, `srclang` and `hreflang`. */
export const bcp47Tags: Record<Language, string> = { en: 'en', es: 'es', fy: 'fr', dy: 'de', pt: 'pt' }

const languageByTag = new Map<string, Language>([
  ...languages.map((language): [string, Language] => [language, language]),
  ...languages.map((language): [string, Language] => [bcp47Tags[language], language]),
])

/** Returns the language of a BCP 47 tag ("de-AT" returns `dy`), or undefined if it is not offered. */
export function languageFromTag(tag: string, offered: OfferedLanguages = languages): Language | undefined {
  const language = languageByTag.get(tag.trim().toLowerCase().split('-')[0] ?? '')
  return language && offered.includes(language) ? language : undefined
}

/** Returns a user's stored language, or the default if none is stored or it is no longer offered. */
export function storedLanguageOrDefault(
  stored: string | null | undefined,
  offered: OfferedLanguages = languages,
): Language {
  return offered.find((language) => language === stored) ?? offered[0]
}

/** Returns the first offered language of an `Accept-Language` header, in written order; weights are ignored. */
export function acceptedLanguage(
  header: string | undefined,
  offered: OfferedLanguages = languages,
): Language | undefined {
  for (const part of header?.split(',') ?? []) {
    const language = languageFromTag(part.split(';')[0] ?? '', offered)
    if (language) return language
  }
  return undefined
}

/** Returns the text in the given language, or in English if it is missing. */
export function textInLanguage(texts: LocalizedText, language: Language): string {
  return texts[language] ?? texts.en
}
