import type { ComponentProps } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Field } from '#web/ui/Field.tsx'

type FieldOfForm = Pick<
  ComponentProps<typeof Field>,
  'name' | 'value' | 'message' | 'refusal' | 'onValue' | 'onLeave' | 'input'
>

/** Where the authenticator's code goes. */
export function CodeField({ field, autoFocus = true }: { field: FieldOfForm; autoFocus?: boolean }) {
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
