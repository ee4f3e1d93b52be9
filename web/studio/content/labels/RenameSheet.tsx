import { useQueryClient } from '@tanstack/react-query'
import { languages, type Language } from '#contract/languages.ts'
import { changeCategory, changeTag, maxLabelLength, type StudioLabel } from '#contract/studio/labels.ts'
import { call } from '#web/lib/api.ts'
import { languageNames } from '#web/lib/language.ts'
import { notify } from '#web/lib/notify.ts'
import { Field } from '#web/ui/forms/Field.tsx'
import { allButSession } from '#web/studio/session-queries.ts'
import { useTexts } from '#web/studio/texts.ts'
import { FormSheet } from '#web/studio/ui/sheets/FormSheet.tsx'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { localizedName } from '#web/studio/format.ts'
import type { LabelProps } from './label-props.ts'
import styles from '#web/studio/content/content.module.css'

/** Edits the names of a tag or category in all languages. */
export function RenameSheet({ kind, label, onClose }: LabelProps & { onClose: () => void }) {
  const { t, language: own } = useTexts()
  const name = localizedName(label.names, own)
  const queryClient = useQueryClient()
  const form = useGuardedForm<Language>({
    initial: initialOf(label),
    validate: (value) => {
      const long = languages.filter((language) => value[language].trim().length > maxLabelLength)
      const tooLong = t('content.tooLong', { max: maxLabelLength })
      return {
        ...Object.fromEntries(long.map((language) => [language, tooLong])),
        ...(value.en.trim() === '' ? { en: t('labels.nameMissing') } : {}),
      }
    },
    fieldOf: (field) => languages.find((language) => field === `names.${language}`),
    send: async (names) => {
      await call(kind === 'tag' ? changeTag : changeCategory, { body: { id: label.id, names } })
      void queryClient.invalidateQueries(allButSession)
      notify(t('content.saved'))
      onClose()
    },
  })
  return (
    <FormSheet
      title={t('labels.renameOf', { name })}
      form={form}
      action={t('content.save')}
      onClose={onClose}
    >
      <p className={styles.quiet}>{t('labels.renameHint', { slug: label.slug })}</p>
      {languages.map((language) => (
        <Field
          key={language}
          {...form.field(language)}
          label={languageNames[language]}
          autoComplete="off"
          required={language === 'en'}
          autoFocus={language === 'en'}
        />
      ))}
    </FormSheet>
  )
}

const initialOf = ({ names }: StudioLabel): Record<Language, string> => ({
  en: names.en ?? '',
  es: names.es ?? '',
  fy: names.fy ?? '',
  dy: names.dy ?? '',
  pt: names.pt ?? '',
})
