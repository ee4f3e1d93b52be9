import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { signIn } from '#contract/members.ts'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { isEmail } from '#web/lib/validation.ts'
import { paths } from '#web/lib/paths.ts'
import { Button } from '#web/ui/Button.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { EmailField, PasswordField } from '#web/features/members/forms/AccountFields.tsx'
import { AccountForm, AccountLinks, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { CodeField } from '#web/features/members/forms/CodeField.tsx'
import { setCurrentUser } from '#web/features/members/queries.ts'
import { readSocialReturn, socialSignInUrl, type SocialReturn } from './social-return.ts'
import { SocialSecondFactor } from './SocialSecondFactor.tsx'
import { SocialProviders } from './SocialProviders.tsx'
import { useReturnAfterSignIn } from './use-return-after-sign-in.ts'

/**
 * The sign-in page. After the return from a social provider it shows the outcome, or asks for a code of the
 * authenticator app.
 */
export function SignIn() {
  const { search, hash } = useLocation()
  const socialReturn = readSocialReturn(search, hash)
  return socialReturn?.ticket ? (
    <SocialSecondFactor ticket={socialReturn.ticket} />
  ) : (
    <SignInForm back={socialReturn} />
  )
}

/** Signs in with e-mail and password (and a code if required), or through a social provider. */
function SignInForm({ back }: { back: SocialReturn | null }) {
  const { t } = useTranslation()
  const queryClient = useQueryClient()
  const returnAfterSignIn = useReturnAfterSignIn()
  const [asksForCode, setAsksForCode] = useState(false)
  const form = useForm({
    initial: { email: '', password: '', totp: '' },
    validate: ({ email, password, totp }) => ({
      ...(isEmail(email) ? {} : { email: t('account.emailInvalid') }),
      ...(password ? {} : { password: t('account.passwordMissing') }),
      ...(asksForCode && !totp ? { totp: t('account.codeMissing') } : {}),
    }),
    send: async ({ totp, ...credentials }) => {
      try {
        const user = await call(signIn, {
          body: { ...credentials, ...(asksForCode ? { totp: totp.trim() } : {}) },
        })
        setCurrentUser(queryClient, user)
        // The member has proven that the account is theirs, so the provider's account can now be linked to it.
        if (back?.answer === 'has_account') location.assign(socialSignInUrl(back.provider, back.returnTo))
        else returnAfterSignIn()
      } catch (error) {
        if (!needsCode(error)) throw error
        setAsksForCode(true)
      }
    },
  })
  return (
    <AccountPage title={t('account.signInTitle')} lead={t('account.signInLead')}>
      {back && <p role="alert">{t(`social.${back.answer}`)}</p>}
      <AccountForm form={form}>
        <EmailField field={form.field('email')} />
        <PasswordField
          field={form.field('password')}
          label={t('account.password')}
          autoComplete="current-password"
        />
        {asksForCode && <CodeField field={form.field('totp')} />}
        <Button wide type="submit" disabled={form.busy}>
          {form.busy ? t('account.working') : t('menu.signIn')}
        </Button>
      </AccountForm>
      <SocialProviders />
      <AccountLinks>
        <Link to={paths.retrievePassword.to()}>{t('account.forgot')}</Link>
        <Link to={paths.register.to()} state={returnAfterSignIn.state}>
          {t('account.toRegister')}
        </Link>
      </AccountLinks>
    </AccountPage>
  )
}

function needsCode(error: unknown): boolean {
  return error instanceof ApiError && error.code === 401
}
