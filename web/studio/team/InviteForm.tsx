import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isRole, roles } from '#contract/studio/roles.ts'
import { addOperator } from '#contract/studio/operators.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { isEmail } from '#web/lib/validation.ts'
import { Button } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useTexts } from '#web/studio/texts.ts'
import { useGuardedForm } from '#web/studio/ui/unsaved/use-guarded-form.ts'
import { SelectField } from '#web/studio/ui/SelectField.tsx'
import { OneTimeLink, type Invited } from './OneTimeLink.tsx'
import styles from './team.module.css'

/** Invites an operator: creates a one-time link for an e-mail address with a role. */
export function InviteForm() {
  const { t } = useTexts()
  const { t: tShared } = useTranslation()
  const queryClient = useQueryClient()
  const [invited, setInvited] = useState<Invited | null>(null)
  const form = useGuardedForm({
    initial: { email: '', role: 'editor' },
    validate: ({ email }) => (isEmail(email) ? {} : { email: tShared('account.emailInvalid') }),
    send: async ({ email, role }) => {
      setInvited(await call(addOperator, { body: { email, role: isRole(role) ? role : 'analyst' } }))
      form.reset({ email: '' })
      void queryClient.invalidateQueries({ queryKey: ['operators'] })
    },
  })
  return (
    <form className={styles.invite} onSubmit={form.submit} noValidate>
      <Field
        {...form.field('email')}
        label={t('team.email')}
        type="email"
        inputMode="email"
        autoComplete="off"
      />
      <SelectField
        label={t('team.role')}
        value={form.value.role}
        options={roles.map((role) => ({ value: role, label: t(`shell.role.${role}`) }))}
        hint={isRole(form.value.role) ? t(`team.roleText.${form.value.role}`) : ''}
        onChoose={(role) => form.set({ role })}
      />
      <Button type="submit" disabled={form.busy}>
        {t('team.invite')}
      </Button>
      {invited && <OneTimeLink invited={invited} onClose={() => setInvited(null)} />}
    </form>
  )
}
