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

/** The name of each language in that language. */
export const languageNames: Record<Language, string> = {
  en: 'English',
  es: 'Español',
  fy: 'Français',
  dy: 'Deutsch',
  pt: 'Português',
}

const siteLanguages = settings.languages ?? languages

/** The languages that this site offers, in the order of `languages`. */
export const offeredLanguages: readonly Language[] = languages.filter((each) => siteLanguages.includes(each))

let language: Language | undefined

/**
 * Returns the interface language of this visit, which is also sent with calls. It is detected on the first call;
 * `chooseLanguage` changes it.
 */
export function currentLanguage(): Language {
  return (language ??= detectLanguage())
}

/**
 * Returns the offered language named by `?lang=`, else the stored choice, else the browser's preferred language, else
 * the default.
 */
function detectLanguage(): Language {
  const requested = new URLSearchParams(location.search).get('lang')
  return (
    languageFromTag(requested ?? '', siteLanguages) ??
    languageFromTag(storage.get(key) ?? '', siteLanguages) ??
    acceptedLanguage(navigator.languages.join(','), siteLanguages) ??
    siteLanguages[0]
  )
}

/** Sets and stores the language. Removes `?lang=` from the URL, because it would override the choice after a reload. */
export function chooseLanguage(chosen: Language): void {
  language = chosen
  storage.set(key, chosen)
  const address = new URL(location.href)
  if (!address.searchParams.has('lang')) return
  address.searchParams.delete('lang')
  history.replaceState(history.state, '', address)
}

/** Returns the Accept-Language value: the site's language code, then its BCP 47 tag for other servers, then English. */
export function acceptLanguage(language: Language): string {
  return [...new Set([language, bcp47Tags[language], 'en'])]
    .map((tag, i) => (i ? `${tag};q=0.${9 - i}` : tag))
    .join(',')
}
