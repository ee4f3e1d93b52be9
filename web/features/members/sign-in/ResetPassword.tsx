import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { requestPasswordReset, resetPassword } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { isEmail, isValidPasswordLength } from '#web/lib/validation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { EmailField, NewPasswordFields } from '#web/features/members/forms/AccountFields.tsx'
import { AccountForm, AccountLinks, AccountPage } from '#web/features/members/forms/AccountPage.tsx'

/** Requests the mail for a password reset. If opened by the link in that mail (`#reset=…`), sets the new password. */
export function ResetPassword() {
  const { hash } = useLocation()
  const secret = new URLSearchParams(hash.slice(1)).get('reset')
  return secret ? <NewPassword secret={secret} /> : <RequestResetMail />
}

function RequestResetMail() {
  const { t } = useTranslation()
  const [sentTo, setSentTo] = useState('')
  const form = useForm({
    initial: { email: '' },
    validate: ({ email }) => (isEmail(email) ? {} : { email: t('account.emailInvalid') }),
    send: async ({ email }) => {
      await call(requestPasswordReset, { body: { email } })
      setSentTo(email)
    },
  })
  if (sentTo)
    return (
      <AccountPage title={t('account.sentTitle')} lead={t('account.sentText', { email: sentTo })}>
        <AccountLinks>
          <Link to={paths.signIn.to()}>{t('account.toSignIn')}</Link>
        </AccountLinks>
      </AccountPage>
    )
  return (
    <AccountPage title={t('account.forgotTitle')} lead={t('account.forgotLead')}>
      <AccountForm form={form}>
        <EmailField field={form.field('email')} />
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('account.sendLink')}
        </Button>
      </AccountForm>
      <AccountLinks>
        <Link to={paths.signIn.to()}>{t('account.toSignIn')}</Link>
      </AccountLinks>
    </AccountPage>
  )
}

function NewPassword({ secret }: { secret: string }) {
  const { t } = useTranslation()
  const [changed, setChanged] = useState(false)
  const form = useForm({
    initial: { new_password: '', repeat_password: '' },
    validate: ({ new_password, repeat_password }) => ({
      ...(isValidPasswordLength(new_password) ? {} : { new_password: t('account.passwordInvalid') }),
      ...(repeat_password === new_password ? {} : { repeat_password: t('account.repeatInvalid') }),
    }),
    send: async (fields) => {
      await call(resetPassword, { body: { secret, ...fields } })
      setChanged(true)
    },
  })
  if (changed)
    return (
      <AccountPage title={t('account.changedTitle')} lead={t('account.changedText')}>
        <Link className={buttonClass('main', true)} to={paths.signIn.to()}>
          {t('menu.signIn')}
        </Link>
      </AccountPage>
    )
  return (
    <AccountPage title={t('account.newTitle')}>
      <AccountForm form={form}>
        <NewPasswordFields
          label={t('account.newPassword')}
          password={form.field('new_password')}
          repeat={form.field('repeat_password')}
        />
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('account.setPassword')}
        </Button>
      </AccountForm>
      <AccountLinks>
        <Link to={paths.retrievePassword.to()}>{t('account.requestAnotherLink')}</Link>
      </AccountLinks>
    </AccountPage>
  )
}
