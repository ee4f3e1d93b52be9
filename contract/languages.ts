/** The site's languages. `fy` is French and `dy` is German (seed, section 1); the first is default and fallback. */
export const languages = ['en', 'es', 'fy', 'dy', 'pt'] as const
export type Language = (typeof languages)[number]

/** The languages that a site offers; the first is the default. */
export type OfferedLanguages = readonly [Language, ...Language[]]

/** A text in the site's languages; `en` is required. */
export type Texts = { en: string } & Partial<Record<Language, string>>

/** The value of `lang`, `srclang` and `hreflang` for each language. */
export const htmlLanguage: Record<Language, string> = { en: 'en', es: 'es', fy: 'fr', dy: 'de', pt: 'pt' }

const codes = new Map<string, Language>([
  ...languages.map((language): [string, Language] => [language, language]),
  ...languages.map((language): [string, Language] => [htmlLanguage[language], language]),
])

/** Finds the language for a tag ("de-AT" gives `dy`); undefined if it is not offered. */
export function languageOf(tag: string, offered: OfferedLanguages = languages): Language | undefined {
  const language = codes.get(tag.trim().toLowerCase().split('-')[0] ?? '')
  return language && offered.includes(language) ? language : undefined
}

/** A person's stored language; the default if none is stored, or if it is no longer offered. */
export function keptLanguage(
  kept: string | null | undefined,
  offered: OfferedLanguages = languages,
): Language {
  return offered.find((language) => language === kept) ?? offered[0]
}

/** The first language of an `Accept-Language` header that is offered, in the order written (product.md, section 2). */
export function firstLanguage(
  header: string | undefined,
  offered: OfferedLanguages = languages,
): Language | undefined {
  for (const part of header?.split(',') ?? []) {
    const language = languageOf(part.split(';')[0] ?? '', offered)
    if (language) return language
  }
  return undefined
}

/** Selects a text in a language, else in English. */
export function inLanguage(texts: Texts, language: Language): string {
  return texts[language] ?? texts.en
}
