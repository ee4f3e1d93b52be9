import { useQueryClient } from '@tanstack/react-query'
import type { User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { isValidPasswordLength } from '#web/lib/validation.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { NewPasswordFields } from '#web/features/members/forms/AccountFields.tsx'
import { AccountForm } from '#web/features/members/forms/AccountPage.tsx'
import { CurrentPassword } from '#web/features/members/forms/CurrentPassword.tsx'
import { sessionsQuery } from './sessions-query.ts'
import { Setting } from './Setting.tsx'
import { useChangeUser } from './use-change-user.ts'

/** Changes the password. Members who sign in through a provider can set their first password. */
export function PasswordSetting({ user }: { user: User }) {
  const { t } = useTranslation()
  return (
    <Setting
      title={t('account.password')}
      text={t(user.has_password ? 'password.isSet' : 'password.notSet')}
      action={t(user.has_password ? 'settings.change' : 'password.set')}
    >
      {(done) => <NewPassword user={user} onDone={done} />}
    </Setting>
  )
}

function NewPassword({ user, onDone }: { user: User; onDone: () => void }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const change = useChangeUser()
  const form = useForm({
    initial: { current_password: '', new_password: '', repeat_password: '' },
    validate: ({ current_password, new_password, repeat_password }) => ({
      ...(current_password || !user.has_password ? {} : { current_password: t('account.passwordMissing') }),
      ...(isValidPasswordLength(new_password) ? {} : { new_password: t('account.passwordInvalid') }),
      ...(repeat_password === new_password ? {} : { repeat_password: t('account.repeatInvalid') }),
    }),
    send: async ({ current_password, new_password }) => {
      await change({ new_password, ...(user.has_password ? { current_password } : {}) })
      void queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey })
      notify(t('password.changed'))
      onDone()
    },
  })
  return (
    <AccountForm form={form}>
      {/* Tells password managers which account the password belongs to. */}
      <input type="text" autoComplete="username" value={user.email ?? ''} readOnly hidden />
      {user.has_password && <CurrentPassword field={form.field('current_password')} />}
      <NewPasswordFields
        label={t('account.newPassword')}
        password={form.field('new_password')}
        repeat={form.field('repeat_password')}
      />
      <Button type="submit" disabled={form.busy}>
        {form.busy ? t('account.working') : t('account.setPassword')}
      </Button>
    </AccountForm>
  )
}
