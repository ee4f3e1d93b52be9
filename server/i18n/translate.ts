import i18next from 'i18next'
import type { Language } from '#contract/languages.ts'
import en from './en.json' with { type: 'json' }

const texts = i18next.createInstance()
await texts.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  interpolation: { escapeValue: false },
})

// The web types its own keys globally; these are the server's.
const lookUp = texts.t as (key: string, options: Record<string, unknown>) => string

/** A text of the server in a language; English where the language has none yet. */
export function translate(language: Language, key: string, values: Record<string, unknown> = {}): string {
  return lookUp(key, { lng: language, ...values })
}
