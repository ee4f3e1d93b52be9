import { useState } from 'react'
import { verifyEmail, type User } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { isEmail } from '#web/lib/validation.ts'
import { notify } from '#web/lib/notify.ts'
import { Button } from '#web/ui/Button.tsx'
import { readDraft } from '#web/ui/forms/draft.ts'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { AccountForm } from '#web/features/members/forms/AccountPage.tsx'
import { CurrentPassword } from '#web/features/members/forms/CurrentPassword.tsx'
import { Setting } from './Setting.tsx'
import { useChangeUser } from './use-change-user.ts'
import styles from '#web/features/members/forms/settings.module.css'

/**
 * Shows the e-mail address and whether it is verified, with a form for a new address. The new address takes effect when
 * the user confirms it on the page behind the mailed link.
 */
export function EmailSetting({ user }: { user: User }) {
  const { t } = useTranslation()
  const [sentTo, setSentTo] = useState('')
  const state = t(user.email_verified ? 'mail.verified' : 'mail.unverified')
  return (
    <>
      <Setting
        title={t('account.email')}
        text={user.email ? `${user.email} · ${state}` : t('mail.none')}
        action={t('settings.change')}
        started={readDraft(user.id, ['email']) !== undefined}
      >
        {(done) => (
          <NewEmail
            user={user}
            onSent={(email) => {
              setSentTo(email)
              done()
            }}
          />
        )}
      </Setting>
      {user.email && (sentTo || !user.email_verified) && <ResendLink sentTo={sentTo} onSent={setSentTo} />}
    </>
  )
}

function NewEmail({ user, onSent }: { user: User; onSent: (email: string) => void }) {
  const { t } = useTranslation()
  const change = useChangeUser()
  const form = useForm({
    initial: { email: '', current_password: '' },
    draft: { owner: user.id, fields: ['email'] },
    validate: ({ email, current_password }) => ({
      ...(isEmail(email) ? {} : { email: t('account.emailInvalid') }),
      ...(current_password || !user.has_password ? {} : { current_password: t('account.passwordMissing') }),
    }),
    send: async ({ email, current_password }) => {
      await change({ email, ...(user.has_password ? { current_password } : {}) })
      onSent(email)
    },
  })
  return (
    <AccountForm form={form}>
      <Field
        {...form.field('email')}
        label={t('mail.new')}
        hint={t('mail.newHint')}
        type="email"
        inputMode="email"
        autoComplete="email"
      />
      {user.has_password && <CurrentPassword field={form.field('current_password')} />}
      <Button type="submit" disabled={form.busy}>
        {form.busy ? t('account.working') : t('account.sendLink')}
      </Button>
    </AccountForm>
  )
}

/** Shows the address to which the link was sent, with a button that sends it again. */
function ResendLink({ sentTo, onSent }: { sentTo: string; onSent: (email: string) => void }) {
  const { t } = useTranslation()
  const [busy, setBusy] = useState(false)
  const resend = () => {
    setBusy(true)
    call(verifyEmail, { body: {} })
      .then(({ verified, email }) => (verified ? notify(t('mail.alreadyVerified')) : onSent(email)))
      .catch(() => {})
      .finally(() => setBusy(false))
  }
  return (
    <div className={`${styles.setting} ${styles.again}`}>
      <p className={styles.text} role="status">
        {sentTo ? t('mail.sent', { email: sentTo }) : t('mail.openLink')}
      </p>
      <Button variant="quiet" onClick={resend} disabled={busy}>
        {busy ? t('account.working') : t('mail.resend')}
      </Button>
    </div>
  )
}
