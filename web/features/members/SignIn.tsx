import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearchParams } from 'react-router'
import { signIn } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, CallRejected } from '#web/lib/api.ts'
import { isEmail } from '#web/lib/checks.ts'
import { paths } from '#web/lib/paths.ts'
import { Button, buttonClass } from '#web/ui/Button.tsx'
import { Field } from '#web/ui/Field.tsx'
import { useForm } from '#web/ui/use-form.ts'
import { AccountForm, AccountLinks, AccountPage } from './AccountPage.tsx'
import { rememberUser, socialProvidersQuery } from './queries.ts'
import { useWayOn } from './use-way-on.ts'

/** Signs in by e-mail and password, with the second factor where it is asked for, or through a social provider. */
export function SignIn() {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const goOn = useWayOn()
  const [search] = useSearchParams()
  const [asksForCode, setAsksForCode] = useState(false)
  const form = useForm({
    initial: { email: '', password: '', totp: '' },
    messagesOf: ({ email, password, totp }) => ({
      ...(isEmail(email) ? {} : { email: t('account.emailBad') }),
      ...(password ? {} : { password: t('account.passwordMissing') }),
      ...(asksForCode && !totp ? { totp: t('account.codeMissing') } : {}),
    }),
    send: async ({ totp, ...given }) => {
      try {
        const user = await call(signIn, { body: { ...given, ...(asksForCode ? { totp: totp.trim() } : {}) } })
        rememberUser(queryClient, user)
        goOn()
      } catch (error) {
        if (!needsCode(error)) throw error
        setAsksForCode(true)
      }
    },
  })
  return (
    <AccountPage title={t('account.signInTitle')} lead={t('account.signInLead')}>
      {search.has('social') && <p role="alert">{t('account.socialFailed')}</p>}
      <AccountForm form={form}>
        <Field
          {...form.field('email')}
          label={t('account.email')}
          type="email"
          inputMode="email"
          autoComplete="username"
        />
        <Field
          {...form.field('password')}
          label={t('account.password')}
          type="password"
          autoComplete="current-password"
          reveal={{ show: t('account.show'), hide: t('account.hide') }}
        />
        {asksForCode && (
          <Field
            {...form.field('totp')}
            label={t('account.code')}
            hint={t('account.codeHint')}
            inputMode="numeric"
            autoComplete="one-time-code"
            autoFocus
          />
        )}
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('menu.signIn')}
        </Button>
      </AccountForm>
      <SocialProviders />
      <AccountLinks>
        <Link to={paths.retrievePassword.to()}>{t('account.forgot')}</Link>
        <Link to={paths.register.to()} state={goOn.state}>
          {t('account.toRegister')}
        </Link>
      </AccountLinks>
    </AccountPage>
  )
}

function needsCode(error: unknown): boolean {
  return error instanceof CallRejected && error.code === 401
}

/** Plain links: in-app browsers allow no pop-ups. Only providers that have keys are offered. */
export function SocialProviders() {
  const { t } = useTranslation()
  const { data } = useQuery(socialProvidersQuery)
  return data?.list.map(({ id, name }) => (
    <a key={id} className={buttonClass('quiet', true)} href={`/api/user/social/${id}`}>
      {t('account.with', { name })}
    </a>
  ))
}
