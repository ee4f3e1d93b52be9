import { bcp47Tags, languageFromTag } from '#contract/languages.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import type { Caption } from './use-captions.ts'
import { usePreferences } from './use-preferences.ts'

export interface ChosenCaption {
  all: Caption[]
  shown: Caption | undefined
  htmlLang: string
}

/**
 * Returns the caption track in the chosen language, else in the interface language, else in English, else the first
 * track. Returns no track if captions are off.
 */
export function useChosenCaption(all: Caption[]): ChosenCaption {
  const { i18n } = useTranslation()
  const { captions } = usePreferences()
  const find = (lang: string | null | undefined) => all.find((caption) => caption.lang === lang)
  const shown =
    captions === null ? undefined : (find(captions) ?? find(i18n.language) ?? find('en') ?? all[0])
  return { all, shown, htmlLang: bcp47Tags[languageFromTag(shown?.lang ?? '') ?? 'en'] }
}
