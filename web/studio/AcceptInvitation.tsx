import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { acceptInvitation, beginInvitation, type StudioSession } from '#contract/studio/operators.ts'
import type { ResultOf } from '#contract/endpoint.ts'
import { NewPasswordFields } from '#web/features/members/forms/AccountFields.tsx'
import { AccountForm, AccountPage } from '#web/features/members/forms/AccountPage.tsx'
import { AppSecret, RecoveryCodes } from '#web/features/members/settings/SetUpSecondFactor.tsx'
import { useTranslation } from '#web/i18n/use-translation.ts'
import { call, ApiError } from '#web/lib/api.ts'
import { Button } from '#web/ui/Button.tsx'
import { LoadError } from '#web/ui/LoadError.tsx'
import { Field } from '#web/ui/forms/Field.tsx'
import { useForm } from '#web/ui/forms/use-form.ts'
import { Brand } from './Brand.tsx'
import { operatorSessionQuery } from './session-queries.ts'
import { useTexts } from './texts.ts'
import { PageLink } from './ui/PageLink.tsx'

type InvitationInfo = ResultOf<typeof beginInvitation>

/**
 * The page behind an invitation or reset link. Sets the operator's password and second factor, then shows the recovery
 * codes once.
 */
export function AcceptInvitation() {
  const { t } = useTexts()
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const [secret] = useState(() => new URLSearchParams(location.hash.slice(1)).get('invitation') ?? '')
  const [accepted, setAccepted] = useState<{ session: StudioSession; codes: string[] } | null>(null)
  const invitation = useQuery({
    queryKey: ['invitation', secret],
    // Never fetched again, not even for another language: each call creates a new app secret, which invalidates the
    // previous one.
    queryFn: () => call(beginInvitation, { body: { secret } }),
    staleTime: 'static',
  })
  const isLinkExpired = invitation.error instanceof ApiError
  const openStudio = () => {
    if (accepted) queryClient.setQueryData(operatorSessionQuery.queryKey, accepted.session)
    void navigate('/studio', { replace: true })
  }
  return (
    <main>
      <AccountPage
        above={<Brand />}
        title={t('shell.welcome')}
        lead={isLinkExpired ? '' : t(accepted ? 'shell.welcomeCodes' : 'shell.welcomeLead')}
      >
        {accepted ? (
          <RecoveryCodes codes={accepted.codes} onDone={openStudio} heading="h2" />
        ) : invitation.data ? (
          <AccountSetup invited={invitation.data} secret={secret} onDone={setAccepted} />
        ) : isLinkExpired ? (
          <div role="alert">
            <p>{t('shell.linkExpired')}</p>
            <PageLink to="/studio">{t('shell.signIn')}</PageLink>
          </div>
        ) : (
          invitation.isError && <LoadError onRetry={() => void invitation.refetch()} />
        )}
      </AccountPage>
    </main>
  )
}

function AccountSetup({
  invited,
  secret,
  onDone,
}: {
  invited: InvitationInfo
  secret: string
  onDone: (done: { session: StudioSession; codes: string[] }) => void
}) {
  const { t } = useTexts()
  const { t: tShared } = useTranslation()
  const form = useForm({
    initial: { password: '', repeat_password: '', code: '' },
    validate: ({ password, repeat_password, code }) => ({
      ...(password.length >= 8 ? {} : { password: tShared('account.passwordHint') }),
      ...(password === repeat_password ? {} : { repeat_password: tShared('account.repeatInvalid') }),
      ...(code ? {} : { code: tShared('account.codeMissing') }),
    }),
    send: async (values) => {
      const body = { ...values, code: values.code.trim(), secret }
      const { session, recovery_codes: codes } = await call(acceptInvitation, { body })
      onDone({ session, codes })
    },
  })
  return (
    <AccountForm form={{ ...form, sessionExpired: false }}>
      <p>{t('shell.invited', { email: invited.email })}</p>
      <NewPasswordFields
        label={tShared('account.password')}
        password={form.field('password')}
        repeat={form.field('repeat_password')}
      />
      <AppSecret secret={invited.secret} url={invited.otpauth_url} heading="h2" />
      <Field
        {...form.field('code')}
        label={tShared('account.code')}
        hint={tShared('secondFactor.codeOfApp')}
        inputMode="numeric"
        autoComplete="one-time-code"
      />
      <Button wide type="submit" disabled={form.busy}>
        {form.busy ? tShared('account.working') : t('shell.openStudio')}
      </Button>
    </AccountForm>
  )
}
