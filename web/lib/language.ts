import { firstLanguage, htmlLanguage, languageOf, type Language } from '#contract/languages.ts'
import { storage } from './storage.ts'

const key = 'language'

/** Each language as those who speak it call it. */
export const languageNames: Record<Language, string> = {
  en: 'English',
  es: 'Español',
  fy: 'Français',
  dy: 'Deutsch',
  pt: 'Português',
}

/** The language of the screens: `?lang=`, else the one chosen before, else the browser's first that we have, else English. */
export function currentLanguage(): Language {
  const asked = new URLSearchParams(location.search).get('lang')
  return (
    languageOf(asked ?? '') ??
    languageOf(storage.get(key) ?? '') ??
    firstLanguage(navigator.languages.join(',')) ??
    'en'
  )
}

export function chooseLanguage(language: Language): void {
  storage.set(key, language)
}

/** The chosen code first, then what other servers understand by it, then English. */
export function acceptLanguage(language: Language): string {
  return [...new Set([language, htmlLanguage[language], 'en'])]
    .map((tag, i) => (i ? `${tag};q=0.${9 - i}` : tag))
    .join(',')
}
