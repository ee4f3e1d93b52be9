import { useSyncExternalStore } from 'react'
import type { Language } from '#contract/languages.ts'
import { changeLanguage as changeBase, type KeyOf } from '#web/i18n/index.ts'
import { createTranslator, type TextTree, type Values } from '#web/i18n/translator.ts'
import { currentLanguage } from '#web/lib/language.ts'
import content from './texts/en.content.json'
import audit from './texts/en.audit.json'
import shell from './texts/en.shell.json'
import experiments from './texts/en.experiments.json'
import analytics from './texts/en.analytics.json'
import labels from './texts/en.labels.json'
import payments from './texts/en.payments.json'
import customers from './texts/en.customers.json'
import plans from './texts/en.plans.json'
import homepage from './texts/en.homepage.json'
import system from './texts/en.system.json'
import settings from './texts/en.settings.json'
import start from './texts/en.start.json'
import topUps from './texts/en.topups.json'

/** The studio's languages; operators with another language see English. */
export const studioLanguages = ['en', 'dy'] as const satisfies Language[]

type StudioKey =
  | KeyOf<typeof shell>
  | KeyOf<typeof content>
  | KeyOf<typeof audit>
  | KeyOf<typeof homepage & typeof system & typeof settings>
  | KeyOf<typeof analytics>
  | KeyOf<typeof experiments>
  | KeyOf<typeof labels>
  | KeyOf<typeof payments>
  | KeyOf<typeof customers>
  | KeyOf<typeof plans>
  | KeyOf<typeof start>
  | KeyOf<typeof topUps>

/** Translates a key of the studio's texts. */
export type Translate = (key: StudioKey, values?: Values) => string

const translator = createTranslator<StudioKey>(currentLanguage())
for (const part of [
  shell,
  audit,
  content,
  labels,
  homepage,
  payments,
  customers,
  plans,
  system,
  settings,
  analytics,
  experiments,
  start,
  topUps,
])
  translator.add('en', part)

const lazyTexts = import.meta.glob<TextTree>(['./texts/*.json', '!./texts/en.*.json'], { import: 'default' })

/** Loads the studio's texts in the interface language. English replaces texts that cannot be loaded. */
export async function loadStudioTexts(): Promise<void> {
  const language = currentLanguage()
  const files = Object.entries(lazyTexts).filter(([name]) => name.startsWith(`./texts/${language}.`))
  const parts = await Promise.all(files.map(([, fetchPart]) => fetchPart().catch(() => ({}))))
  for (const part of parts) translator.add(language, part)
}

/** Changes the language of the studio, and of the site in this browser. */
export async function changeStudioLanguage(chosen: Language): Promise<void> {
  await changeBase(chosen)
  await loadStudioTexts()
  translator.setLanguage(chosen)
}

const current = () => translator.language

/** Returns the studio's texts in the current language; components render again when it changes. */
export function useTexts(): { t: Translate; language: Language } {
  const language = useSyncExternalStore(translator.onChange, current, current)
  return { t: translator.t, language }
}
