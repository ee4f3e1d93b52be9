import { useQueryClient } from '@tanstack/react-query'
import { changeSecondFactor, type User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { AccountForm } from '#web/features/members/forms/AccountPage.tsx'
import { CodeField } from '#web/features/members/forms/CodeField.tsx'
import { CurrentPassword } from '#web/features/members/forms/CurrentPassword.tsx'
import { userQuery } from '#web/features/members/queries.ts'
import styles from '#web/features/members/forms/settings.module.css'

export function RemoveSecondFactor({ user, onDone }: { user: User; onDone: () => void }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const form = useForm({
    initial: { current_password: '', code: '' },
    validate: ({ current_password, code }) => ({
      ...(current_password || !user.has_password ? {} : { current_password: t('account.passwordMissing') }),
      ...(code ? {} : { code: t('account.codeMissing') }),
    }),
    send: async ({ current_password, code }) => {
      const credentials = user.has_password ? { current_password } : {}
      await call(changeSecondFactor, { body: { action: 'remove', code: code.trim(), ...credentials } })
      notify(t('secondFactor.removed'))
      onDone()
      await queryClient.invalidateQueries({ queryKey: userQuery.queryKey })
    },
  })
  return (
    <AccountForm form={form}>
      <p className={styles.text}>{t('secondFactor.removeText')}</p>
      {user.has_password && <CurrentPassword field={form.field('current_password')} />}
      <CodeField field={form.field('code')} autoFocus={false} />
      <Button type="submit" disabled={form.busy}>
        {form.busy ? t('account.working') : t('secondFactor.remove')}
      </Button>
    </AccountForm>
  )
}
