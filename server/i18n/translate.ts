import i18next from 'i18next'
import type { Language } from '#contract/languages.ts'
import dy from './dy.json' with { type: 'json' }
import en from './en.json' with { type: 'json' }
import es from './es.json' with { type: 'json' }
import fy from './fy.json' with { type: 'json' }
import pt from './pt.json' with { type: 'json' }

/** All texts of the server, except those of mails (mail-texts.ts). */
export const serverTexts = { en, es, fy, dy, pt } satisfies Record<Language, object>

const texts = i18next.createInstance()
await texts.init({
  lng: 'en',
  fallbackLng: 'en',
  resources: Object.fromEntries(
    Object.entries(serverTexts).map(([language, translation]) => [language, { translation }]),
  ),
  interpolation: { escapeValue: false },
})

// The web app declares its own keys as the type of all i18next keys, so the server's keys need a cast.
const lookUpText = texts.t as (key: string, options: Record<string, unknown>) => string

/** Returns a text of the server in a language, or in English if the language lacks it. */
export function translate(language: Language, key: string, values: Record<string, unknown> = {}): string {
  return lookUpText(key, { lng: language, ...values })
}
