import type { ComponentProps } from 'react'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Field } from '#web/ui/Field.tsx'

type FieldOfForm = Pick<
  ComponentProps<typeof Field>,
  'name' | 'value' | 'message' | 'refusal' | 'onValue' | 'onLeave' | 'input'
>

/** The password that proves whose account it is, before something of weight is changed. */
export function CurrentPassword({ field }: { field: FieldOfForm }) {
  const { t } = useTranslation()
  return (
    <Field
      {...field}
      label={t('pass.current')}
      type="password"
      autoComplete="current-password"
      reveal={{ show: t('account.show'), hide: t('account.hide') }}
    />
  )
}
