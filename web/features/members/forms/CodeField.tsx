import { useTranslation } from '#web/i18n/use-translation.ts'
import { Field, type FormField } from '#web/ui/forms/Field.tsx'

/** The field for a code of the authenticator app. */
export function CodeField({ field, autoFocus = true }: { field: FormField; autoFocus?: boolean }) {
  const { t } = useTranslation()
  return (
    <Field
      {...field}
      label={t('account.code')}
      hint={t('account.codeHint')}
      inputMode="numeric"
      autoComplete="one-time-code"
      autoFocus={autoFocus}
    />
  )
}
