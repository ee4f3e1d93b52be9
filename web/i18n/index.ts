import { bcp47Tags, type Language } from '#contract/languages.ts'
import { chooseLanguage, currentLanguage } from '#web/lib/language.ts'
import en from './en/base.json'
import type account from './en/account.json'
import type alerts from './en/alerts.json'
import type balance from './en/balance.json'
import type feedback from './en/feedback.json'
import type memberArea from './en/member-area.json'
import type pages from './en/pages.json'
import type notices from './en/notices.json'
import type search from './en/search.json'
import type watch from './en/watch.json'
import { fetchTexts, type TextPart } from './load-texts.ts'
import { createTranslator, type Values } from './translator.ts'

type Texts = typeof en &
  typeof watch &
  typeof account &
  typeof notices &
  typeof search &
  typeof memberArea &
  typeof alerts &
  typeof balance &
  typeof pages &
  typeof feedback
type WithoutPluralForm<Key extends string> = Key extends `${infer Base}_${'one' | 'many' | 'other'}`
  ? Base
  : Key
/** The dotted keys of a tree of texts; the plural forms of a text share one key. */
export type KeyOf<Tree> = {
  [Key in keyof Tree & string]: Tree[Key] extends string
    ? WithoutPluralForm<Key>
    : `${Key}.${KeyOf<Tree[Key]>}`
}[keyof Tree & string]

/** Translates a key into the interface language. */
export type Translate = (key: KeyOf<Texts>, values?: Values) => string

export const i18n = createTranslator<KeyOf<Texts>>(currentLanguage())
i18n.add('en', en)

const parts = new Set<TextPart>()

document.documentElement.lang = bcp47Tags[currentLanguage()]

/** Loads a part's texts in the interface language, and from then on after each change of language. */
export async function loadTexts(part: TextPart): Promise<void> {
  parts.add(part)
  await addTexts(part)
}

async function addTexts(part: TextPart): Promise<void> {
  const language = currentLanguage()
  const texts = await fetchTexts(language, part)
  if (texts) i18n.add(language, texts)
}

/** Changes the interface language once the texts of all loaded parts are available in it. */
export async function changeLanguage(chosen: Language): Promise<void> {
  chooseLanguage(chosen)
  await Promise.all([...parts].map(addTexts))
  // Stops if another language was chosen in the meantime.
  if (currentLanguage() !== chosen) return
  document.documentElement.lang = bcp47Tags[chosen]
  i18n.setLanguage(chosen)
}
