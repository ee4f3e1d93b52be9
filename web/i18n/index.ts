import i18next from 'i18next'
import { htmlLanguage, type Language } from '#contract/languages.ts'
import { chooseLanguage, currentLanguage } from '#web/lib/language.ts'
import en from './en.json'
import type account from './en.account.json'
import type feedback from './en.feedback.json'
import type mine from './en.mine.json'
import type pages from './en.pages.json'
import type later from './en.later.json'
import type search from './en.search.json'
import type watch from './en.watch.json'
import { fetchTexts, type TextPart } from './texts.ts'

declare module 'i18next' {
  interface CustomTypeOptions {
    resources: {
      translation: typeof en &
        typeof watch &
        typeof account &
        typeof later &
        typeof search &
        typeof mine &
        typeof pages &
        typeof feedback
    }
  }
}

export const i18n = i18next.createInstance()

const parts = new Set<TextPart>()

document.documentElement.lang = htmlLanguage[currentLanguage()]
void i18n.init({
  lng: currentLanguage(),
  fallbackLng: 'en',
  resources: { en: { translation: en } },
  interpolation: { escapeValue: false },
  initAsync: false,
})

/** Fetches a part's texts in the language of the screens; from then on a change of language brings it along. */
export async function bringTexts(part: TextPart): Promise<void> {
  parts.add(part)
  await addTexts(part)
}

async function addTexts(part: TextPart): Promise<void> {
  const asked = currentLanguage()
  const texts = await fetchTexts(asked, part)
  if (texts) i18n.addResourceBundle(asked, 'translation', texts, true)
}

/** Changes the language of the screens as soon as they can all be said in it. */
export async function changeLanguage(chosen: Language): Promise<void> {
  chooseLanguage(chosen)
  await Promise.all([...parts].map(addTexts))
  // Somebody who chose again in the meantime is not overtaken.
  if (currentLanguage() !== chosen) return
  document.documentElement.lang = htmlLanguage[chosen]
  await i18n.changeLanguage(chosen)
}
