import { useQueryClient } from '@tanstack/react-query'
import { languages, type Language } from '#contract/languages.ts'
import { editVideo, videoLimits, type StudioVideo } from '#contract/studio/videos.ts'
import { call } from '#web/lib/api.ts'
import { languageNames } from '#web/lib/language.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import styles from '#web/studio/content/content.module.css'

type Name = `titles.${Language}` | `synopses.${Language}`

/** The titles and synopses, languages side by side. Where a text is empty, viewers see the English one. */
export function TextsForm({ video }: { video: StudioVideo }) {
  const { t } = useTexts()
  const queryClient = useQueryClient()
  const form = useGuardedForm({
    initial: initialOf(video),
    validate: (value) => {
      const messages: Partial<Record<Name, string>> = {}
      if (value['titles.en'].trim() === '') messages['titles.en'] = t('content.titleMissing')
      for (const language of languages) {
        if (value[`titles.${language}`].trim().length > videoLimits.title)
          messages[`titles.${language}`] = t('content.tooLong', { max: videoLimits.title })
        if (value[`synopses.${language}`].trim().length > videoLimits.synopsis)
          messages[`synopses.${language}`] = t('content.tooLong', { max: videoLimits.synopsis })
      }
      return messages
    },
    send: async (value) => {
      const texts = (part: 'titles' | 'synopses') =>
        Object.fromEntries(languages.map((language) => [language, value[`${part}.${language}`]]))
      await call(editVideo, { body: { id: video.id, titles: texts('titles'), synopses: texts('synopses') } })
      void queryClient.invalidateQueries({ queryKey: ['video', video.id] })
      notify(t('content.saved'))
    },
  })
  return (
    <form className={styles.stack} onSubmit={form.submit} noValidate>
      <p className={styles.quiet}>{t('content.textsText')}</p>
      <div className={styles.languages}>
        {languages.map((language) => (
          <fieldset key={language} className={styles.language}>
            <legend>{languageNames[language]}</legend>
            <Field
              {...form.field(`titles.${language}`)}
              label={t('content.titleField')}
              autoComplete="off"
              required={language === 'en'}
            />
            <Field
              {...form.field(`synopses.${language}`)}
              label={t('content.synopsis')}
              autoComplete="off"
              required={false}
              lines={6}
            />
          </fieldset>
        ))}
      </div>
      <Button type="submit" disabled={form.busy}>
        {t('content.saveTexts')}
      </Button>
    </form>
  )
}

function initialOf({ titles, synopses }: StudioVideo): Record<Name, string> {
  const pairs = languages.flatMap((language) => [
    [`titles.${language}`, titles[language] ?? ''],
    [`synopses.${language}`, synopses[language] ?? ''],
  ])
  // The cast is safe: `pairs` contains both names for every language.
  return Object.fromEntries(pairs) as Record<Name, string>
}
