import { useState } from 'react'
import { languages, type Language } from '#contract/languages.ts'
import { setOfferedLanguages } from '#contract/studio/settings.ts'
import { languageNames } from '#web/lib/language.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { usePermissions } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { useCommand } from '#web/studio/use-command.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { useUnsaved } from '#web/studio/ui/unsaved/use-unsaved.ts'
import styles from './settings.module.css'

/** The languages that the site offers, and the default for viewers whose language it does not offer. */
export function Languages({ offered }: { offered: readonly Language[] }) {
  const { t } = useTexts()
  const isAllowed = usePermissions()(setOfferedLanguages)
  const { run, busy } = useCommand(setOfferedLanguages, null)
  const [chosen, setChosen] = useState<readonly Language[]>(offered)
  const [defaultLanguage = 'en'] = chosen
  const toggle = (language: Language, on: boolean) =>
    setChosen(on ? [...chosen, language] : chosen.filter((each) => each !== language))
  const save = async () => {
    // The default is first; the others follow in the order of `languages`.
    const others = languages.filter((each) => each !== defaultLanguage && chosen.includes(each))
    if (await run({ languages: [defaultLanguage, ...others] })) notify(t('settings.languagesSaved'))
  }
  const isChanged = chosen[0] !== offered[0] || chosen.toSorted().join() !== offered.toSorted().join()
  useUnsaved(isChanged)
  if (!isAllowed) return <p>{offered.map((each) => languageNames[each]).join(', ')}</p>
  return (
    <div className={styles.languages}>
      <fieldset className={styles.ticks}>
        <legend>{t('settings.availableLanguages')}</legend>
        {languages.map((language) => (
          <label key={language}>
            <input
              type="checkbox"
              checked={chosen.includes(language)}
              disabled={chosen.length === 1 && defaultLanguage === language}
              onChange={({ target }) => toggle(language, target.checked)}
            />
            {languageNames[language]}
          </label>
        ))}
      </fieldset>
      <SelectField
        label={t('settings.defaultLanguage')}
        value={defaultLanguage}
        options={languages
          .filter((each) => chosen.includes(each))
          .map((each) => ({ value: each, label: languageNames[each] }))}
        onChoose={(value) =>
          setChosen(chosen.toSorted((one, other) => Number(other === value) - Number(one === value)))
        }
      />
      <div className={styles.actions}>
        <Button variant="quiet" disabled={busy || !isChanged} onClick={() => void save()}>
          {t('settings.saveLanguages')}
        </Button>
      </div>
    </div>
  )
}
