import type { User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { Button } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { AccountForm } from './AccountPage.tsx'
import { CodeField } from './CodeField.tsx'
import { CurrentPassword } from './CurrentPassword.tsx'
import { requiredCredentials, credentialsBody, type Credentials } from './reauthentication.ts'
import { FreshSignInRequired } from './SignInAgain.tsx'
import styles from './settings.module.css'

interface ReauthenticateFormProps {
  user: User
  text: string
  action: string
  send: (credentials: Partial<Credentials>) => Promise<void>
}

/** Explains the action and asks the member to reauthenticate. */
export function ReauthenticateForm({ user, text, action, send }: ReauthenticateFormProps) {
  const { t } = useTranslation()
  const required = requiredCredentials(user)
  const form = useForm({
    initial: { current_password: '', totp: '' },
    validate: ({ current_password }) =>
      required.current_password && !current_password
        ? { current_password: t('account.passwordMissing') }
        : {},
    send: (credentials) => send(credentialsBody(user, credentials)),
  })
  return (
    <AccountForm form={form}>
      <p className={styles.text}>{text}</p>
      {required.current_password && <CurrentPassword field={form.field('current_password')} />}
      {required.totp && <CodeField field={form.field('totp')} autoFocus={false} />}
      {!form.sessionExpired && <FreshSignInRequired user={user} />}
      <Button type="submit" disabled={form.busy}>
        {form.busy ? t('account.working') : action}
      </Button>
    </AccountForm>
  )
}
