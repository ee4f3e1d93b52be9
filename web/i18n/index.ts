import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import { htmlLanguage, type Language } from '#contract/languages.ts'
import { chooseLanguage, currentLanguage } from '#web/lib/language.ts'
import en from './en.json'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: { translation: typeof en }
  }
}

export const i18n = i18next.createInstance()

/** Languages other than English bring their own file; until they have one, English stands in. */
export function startTexts(): void {
  const language = currentLanguage()
  document.documentElement.lang = htmlLanguage[language]
  void i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    resources: { en: { translation: en } },
    interpolation: { escapeValue: false },
    initAsync: false,
  })
}

export function changeLanguage(language: Language): void {
  chooseLanguage(language)
  document.documentElement.lang = htmlLanguage[language]
  void i18n.changeLanguage(language)
}
