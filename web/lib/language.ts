import {
  acceptedLanguage,
  bcp47Tags,
  languageFromTag,
  languages,
  type Language,
} from '#contract/languages.ts'
import { settings } from './settings.ts'
import { storage } from './storage.ts'

const key = 'language'

/** Each language's name in that language. */
export const languageNames: Record<Language, string> = {
  en: 'English',
  es: 'Español',
  fy: 'Français',
  dy: 'Deutsch',
  pt: 'Português',
}

const siteLanguages = settings.languages ?? languages

/** The languages that this site offers, in their usual order. */
export const offeredLanguages: readonly Language[] = languages.filter((each) => siteLanguages.includes(each))

let language: Language | undefined

/** Returns the language of this visit, for screens and calls alike: determined when the page loads, until another is chosen. */
export function currentLanguage(): Language {
  return (language ??= detectLanguage())
}

/** Returns the offered language from `?lang=`, else the stored choice, else the browser's first; else the default. */
function detectLanguage(): Language {
  const requested = new URLSearchParams(location.search).get('lang')
  return (
    languageFromTag(requested ?? '', siteLanguages) ??
    languageFromTag(storage.get(key) ?? '', siteLanguages) ??
    acceptedLanguage(navigator.languages.join(','), siteLanguages) ??
    siteLanguages[0]
  )
}

/** Sets the language and removes `?lang=` from the URL, which would override the choice after a reload. */
export function chooseLanguage(chosen: Language): void {
  language = chosen
  storage.set(key, chosen)
  const address = new URL(location.href)
  if (!address.searchParams.has('lang')) return
  address.searchParams.delete('lang')
  history.replaceState(history.state, '', address)
}

/** Returns the Accept-Language value: the site's code first, then the code that other servers know, then English. */
export function acceptLanguage(language: Language): string {
  return [...new Set([language, bcp47Tags[language], 'en'])]
    .map((tag, i) => (i ? `${tag};q=0.${9 - i}` : tag))
    .join(',')
}
