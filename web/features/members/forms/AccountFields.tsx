import { useTranslation } from '#web/i18n/use-translation.ts'
import { Field, type FormField } from '#web/ui/forms/Field.tsx'

/** The field for the account's e-mail address. */
export function EmailField({ field }: { field: FormField }) {
  const { t } = useTranslation()
  return (
    <Field {...field} label={t('account.email')} type="email" inputMode="email" autoComplete="username" />
  )
}

interface PasswordFieldProps {
  field: FormField
  label: string
  hint?: string
  autoComplete: 'current-password' | 'new-password'
}

/** A password field with a button that shows the typed text. */
export function PasswordField({ field, ...fieldProps }: PasswordFieldProps) {
  const { t } = useTranslation()
  const reveal = { show: t('account.show'), hide: t('account.hide') }
  return <Field {...field} {...fieldProps} type="password" reveal={reveal} />
}

/** The fields for a new password and its repetition. */
export function NewPasswordFields(props: { label: string; password: FormField; repeat: FormField }) {
  const { t } = useTranslation()
  return (
    <>
      <PasswordField
        field={props.password}
        label={props.label}
        hint={t('account.passwordHint')}
        autoComplete="new-password"
      />
      <PasswordField field={props.repeat} label={t('account.repeat')} autoComplete="new-password" />
    </>
  )
}
