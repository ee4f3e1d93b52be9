import { firstLanguage, htmlLanguage, languageOf, languages, type Language } from '#contract/languages.ts'
import { settings } from './settings.ts'
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

const offered = settings.languages ?? languages

/** Those that there is a choice of here, in their usual order. */
export const offeredLanguages: readonly Language[] = languages.filter((each) => offered.includes(each))

let language: Language | undefined

/** The one language of this visit, for screens and calls alike: as it was when the page loaded, until another is chosen. */
export function currentLanguage(): Language {
  return (language ??= languageOfVisit())
}

/** `?lang=`, else the one chosen before, else the browser's first, of those that are offered; else the default. */
function languageOfVisit(): Language {
  const asked = new URLSearchParams(location.search).get('lang')
  return (
    languageOf(asked ?? '', offered) ??
    languageOf(storage.get(key) ?? '', offered) ??
    firstLanguage(navigator.languages.join(','), offered) ??
    offered[0]
  )
}

/** Speaks it from now on. The address, which asks for this visit only, asks no more: a reload would go by it. */
export function chooseLanguage(chosen: Language): void {
  language = chosen
  storage.set(key, chosen)
  const address = new URL(location.href)
  if (!address.searchParams.has('lang')) return
  address.searchParams.delete('lang')
  history.replaceState(history.state, '', address)
}

/** The chosen code first, then what other servers understand by it, then English. */
export function acceptLanguage(language: Language): string {
  return [...new Set([language, htmlLanguage[language], 'en'])]
    .map((tag, i) => (i ? `${tag};q=0.${9 - i}` : tag))
    .join(',')
}
