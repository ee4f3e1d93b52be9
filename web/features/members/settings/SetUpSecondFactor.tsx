import { useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { changeSecondFactor, type User } from '#contract/members.ts'
import { copyText } from '#web/features/media/share.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call } from '#web/lib/api.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { AccountForm } from '#web/features/members/forms/AccountPage.tsx'
import { CurrentPassword } from '#web/features/members/forms/CurrentPassword.tsx'
import { userQuery } from '#web/features/members/queries.ts'
import styles from '#web/features/members/forms/settings.module.css'

const QrCode = lazy(async () => ({ default: (await import('./QrCode.tsx')).QrCode }))

interface StartedSetup {
  secret: string
  url: string
}

/**
 * Sets up two-step sign-in. Asks for the password if the account has one, then shows the secret and asks for the app's
 * first code. Then shows the recovery codes, only once.
 */
export function SetUpSecondFactor({ user, onDone }: { user: User; onDone: () => void }) {
  const queryClient = useQueryClient()
  const [started, setStarted] = useState<StartedSetup | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const done = () => {
    onDone()
    void queryClient.invalidateQueries({ queryKey: userQuery.queryKey })
  }
  if (codes) return <RecoveryCodes codes={codes} onDone={done} />
  if (started) return <ConfirmSetup started={started} onConfirmed={setCodes} />
  return <StartSetup user={user} onStarted={setStarted} />
}

function StartSetup({ user, onStarted }: { user: User; onStarted: (started: StartedSetup) => void }) {
  const { t } = useTranslation()
  const form = useForm({
    initial: { current_password: '' },
    validate: ({ current_password }) =>
      current_password || !user.has_password ? {} : { current_password: t('account.passwordMissing') },
    send: async ({ current_password }) => {
      const credentials = user.has_password ? { current_password } : {}
      const { secret, otpauth_url } = await call(changeSecondFactor, {
        body: { action: 'start', ...credentials },
      })
      if (secret && otpauth_url) onStarted({ secret, url: otpauth_url })
    },
  })
  return (
    <AccountForm form={form}>
      <p className={styles.text}>
        {t(user.has_password ? 'secondFactor.passwordNeeded' : 'secondFactor.appNeeded')}
      </p>
      {user.has_password && <CurrentPassword field={form.field('current_password')} />}
      <Button type="submit" disabled={form.busy}>
        {form.busy ? t('account.working') : t('secondFactor.continue')}
      </Button>
    </AccountForm>
  )
}

function ConfirmSetup({
  started,
  onConfirmed,
}: {
  started: StartedSetup
  onConfirmed: (codes: string[]) => void
}) {
  const { t } = useTranslation()
  const form = useForm({
    initial: { code: '' },
    validate: ({ code }) => (code ? {} : { code: t('account.codeMissing') }),
    send: async ({ code }) => {
      const body = { action: 'confirm' as const, code: code.trim() }
      onConfirmed((await call(changeSecondFactor, { body })).recovery_codes ?? [])
    },
  })
  return (
    <AccountForm form={form}>
      <AppSecret secret={started.secret} url={started.url} focus />
      <Field
        {...form.field('code')}
        label={t('account.code')}
        hint={t('secondFactor.codeOfApp')}
        inputMode="numeric"
        autoComplete="one-time-code"
      />
      <Button type="submit" disabled={form.busy}>
        {form.busy ? t('account.working') : t('secondFactor.confirm')}
      </Button>
    </AccountForm>
  )
}

/** The secret for the authenticator app, as a QR code, as a link for an app on the same device, and as text. */
export function AppSecret({
  secret,
  url,
  focus,
  heading: Heading = 'h4',
}: {
  secret: string
  url: string
  focus?: boolean
  heading?: 'h2' | 'h4'
}) {
  const { t } = useTranslation()
  return (
    <>
      <Heading tabIndex={-1} ref={focus ? takeFocus : undefined}>
        {t('secondFactor.scan')}
      </Heading>
      <Suspense fallback={<div className={styles.qr} />}>
        <QrCode text={url} label={t('secondFactor.qr')} />
      </Suspense>
      <a className={buttonClass('quiet')} href={url}>
        {t('secondFactor.open')}
      </a>
      <p className={styles.text}>{t('secondFactor.secret')}</p>
      <p className={styles.secret}>
        <code>{secret.replaceAll(/(.{4})(?=.)/g, '$1 ')}</code>
        <Button variant="quiet" onClick={() => void copyText(secret)}>
          {t('secondFactor.copy')}
        </Button>
      </p>
    </>
  )
}

/** The recovery codes. With each code, the member can sign in once without the app. */
export function RecoveryCodes({
  codes,
  onDone,
  heading: Heading = 'h4',
}: {
  codes: string[]
  onDone: () => void
  heading?: 'h2' | 'h4'
}) {
  const { t } = useTranslation()
  return (
    <div className={styles.codes}>
      <Heading tabIndex={-1} ref={takeFocus}>
        {t('secondFactor.codesTitle')}
      </Heading>
      <p className={styles.text}>{t('secondFactor.codesText')}</p>
      <ul>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.buttons}>
        <Button variant="quiet" onClick={() => void copyText(codes.join('\n'))}>
          {t('secondFactor.copyCodes')}
        </Button>
        <Button onClick={onDone}>{t('secondFactor.codesDone')}</Button>
      </div>
    </div>
  )
}

/** Focuses the next step, so that screen readers read it. */
const takeFocus = (element: HTMLElement | null) => element?.focus()
