import { useTranslation } from '#web/i18n/use-translation.ts'
import type { FormField } from '#web/ui/forms/Field.tsx'
import { PasswordField } from './AccountFields.tsx'

/** The field for the current password. It reauthenticates the member before a sensitive change. */
export function CurrentPassword({ field }: { field: FormField }) {
  const { t } = useTranslation()
  return <PasswordField field={field} label={t('password.current')} autoComplete="current-password" />
}
