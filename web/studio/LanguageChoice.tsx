import { useQueryClient } from '@tanstack/react-query'
import type { Language } from '#contract/languages.ts'
import { languageNames } from '#web/lib/language.ts'
import { changeStudioLanguage, studioLanguages, useTexts } from './texts.ts'

/** Chooses the language of the studio. */
export function LanguageChoice() {
  const { t, language } = useTexts()
  const queryClient = useQueryClient()
  const choose = async (chosen: Language) => {
    await changeStudioLanguage(chosen)
    // Refetches all data, because the server has written some of it in the previous language, such as the reason why a
    // file was rejected.
    await queryClient.invalidateQueries()
  }
  return (
    <label>
      <span className="hidden-text">{t('shell.language')}</span>
      <select
        value={studioLanguages.find((each) => each === language) ?? 'en'}
        onChange={({ target }) => void choose(target.value === 'dy' ? 'dy' : 'en')}
      >
        {studioLanguages.map((each) => (
          <option key={each} value={each}>
            {languageNames[each]}
          </option>
        ))}
      </select>
    </label>
  )
}
