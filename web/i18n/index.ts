import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { htmlLanguage, type Language } from '#contract/languages.ts'
import { chooseLanguage, currentLanguage } from '#web/lib/language.ts'
import en from './en.json'
import type watch from './en.watch.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en & typeof watch }
  }
}

/**
 * The texts. What the first screens say is here; watching and paying bring theirs along (`watch.ts`).
 * Languages other than English bring files of their own; until they have them, English stands in.
 */
export const i18n = i18next.createInstance()

const language = currentLanguage()
document.documentElement.lang = htmlLanguage[language]
void i18n.use(initReactI18next).init({
  lng: language,
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  interpolation: { escapeValue: false },
  initAsync: false,
})

export function changeLanguage(chosen: Language): void {
  chooseLanguage(chosen)
  document.documentElement.lang = htmlLanguage[chosen]
  void i18n.changeLanguage(chosen)
}
