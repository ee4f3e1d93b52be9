import { useTranslation } from '#web/i18n/use-translation.ts'
import { Field, type FormField } from '#web/ui/forms/Field.tsx'

/** The address that an account is known by. */
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

/** A password, which can be shown while it is typed. */
export function PasswordField({ field, ...words }: PasswordFieldProps) {
  const { t } = useTranslation()
  const reveal = { show: t('account.show'), hide: t('account.hide') }
  return <Field {...field} {...words} type="password" reveal={reveal} />
}

/** A password that is being chosen, and once more. */
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
